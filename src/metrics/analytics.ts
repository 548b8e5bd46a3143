import { FIELD, positionOf } from "./fields.ts";
import { OUTCOMES } from "./outcomes.ts";

/** The used part of a dataset of Workers Analytics Engine, as Cloudflare binds it. */
export interface AnalyticsDataset {
  /** Sends a data point in the background; its arrival is not confirmed. */
  writeDataPoint(point: {
    readonly indexes: readonly [string];
    readonly blobs: readonly string[];
    readonly doubles: readonly number[];
  }): void;
}

/** The smallest number of data points that Cloudflare has ever taken of one request; it drops further ones. */
const MAX_POINTS = 25;

/** Cloudflare's limit of an index. */
const MAX_INDEX_BYTES = 96;

/**
 * Writes counts of requests to a dataset, one data point for each rule and outcome. Counts that one request may not
 * write wait for the next flush, which adds them to later ones: the largest counts go first.
 *
 * @param onError called when the dataset begins to take nothing; the counts wait, too
 */
export function analyticsWriter(
  dataset: AnalyticsDataset,
  onError: (error: unknown) => void,
): (fields: ReadonlyMap<string, number>) => void {
  const waiting = new Map<string, number>();
  let isFailing = false;

  return function write(fields) {
    for (const [field, count] of fields) {
      if (field[0] === FIELD.requests) waiting.set(field, (waiting.get(field) ?? 0) + count);
    }
    const largest = [...waiting].sort(([, a], [, b]) => b - a).slice(0, MAX_POINTS);
    try {
      for (const [field, count] of largest) {
        const { outcome, reason } = OUTCOMES[positionOf(field[1])]!;
        const rule = field.slice(2);
        dataset.writeDataPoint({
          indexes: [indexOf(rule)],
          blobs: [rule, outcome, reason],
          doubles: [count],
        });
        waiting.delete(field);
      }
      isFailing = false;
    } catch (error) {
      if (!isFailing) onError(error);
      isFailing = true;
    }
  };
}

/** As much of a rule's name as an index may have, in whole characters. */
function indexOf(rule: string): string {
  const { read } = new TextEncoder().encodeInto(rule, new Uint8Array(MAX_INDEX_BYTES));
  return rule.slice(0, read);
}
