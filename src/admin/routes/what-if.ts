import type { Administered } from "../../gateway/administration/administered.ts";
import { HOUR_MS, MINUTE_MS, TOP_KINDS } from "../../metrics/keys.ts";
import type { MetricsReader, Span } from "../../metrics/reader.ts";
import { whatIf } from "../../metrics/what-if.ts";
import type { WhatIf } from "../answers/metrics.ts";
import { type AdminRoute, type Call, isoTime, json, readSmallBody } from "../call.ts";
import { faulty, Refusal } from "../refusal.ts";
import { checked, WhatIfBody } from "../schemas.ts";

/** Partitions at the top whose numbers are looked up. */
const MOST_NAMES = 1_000;

/**
 * Reports the effect that other numbers of a policy would have had.
 *
 * @param upToDate reads what isolates have written, this one included
 */
export function whatIfRoute(
  { editPolicy, names }: Administered,
  upToDate: () => Promise<MetricsReader>,
): AdminRoute {
  async function answer(call: Call): Promise<Response> {
    const body = await readSmallBody(call);
    const { policy, numbers, minutes = HOUR_MS / MINUTE_MS } = checked(WhatIfBody, body);
    const edited = editPolicy(policy, numbers);
    if (!edited) {
      throw new Refusal(
        404,
        "No rule in force has a policy of this name; GET /rules has the names.",
      );
    }
    const { before, after, faults } = edited;
    if (faults.length > 0) throw faulty(faults);
    const reader = await upToDate();
    const toMs = Date.now();
    const fromMs = (Math.floor(toMs / MINUTE_MS) - minutes + 1) * MINUTE_MS;
    const { sample, counted } = await reader.sampleOfPolicy(policy, { fromMs, toMs });
    const { affected, ...estimates } = whatIf(sample, counted, before, after);
    const known = await knownNames(reader, { fromMs, toMs });
    return json({
      policy,
      numbers,
      from: isoTime(fromMs),
      to: isoTime(toMs),
      ...estimates,
      affected: affected.map(({ number, requests, deniedBefore, deniedAfter }) => ({
        partition: known.get(number) ?? null,
        number,
        requests,
        deniedBefore,
        deniedAfter,
      })),
    } satisfies WhatIf);
  }

  /** The sample has no names; those of the partitions at the top are known, unless they are digests of addresses. */
  async function knownNames(reader: MetricsReader, span: Span): Promise<Map<string, string>> {
    const { nameOf, numberOf } = names!;
    const tops = await Promise.all(TOP_KINDS.map((kind) => reader.top(kind, span, MOST_NAMES)));
    const found = new Map<string, string>();
    for (const { partition } of tops.flat()) {
      const number = numberOf(partition);
      if (number && (await nameOf(partition)) === partition) found.set(number, partition);
    }
    return found;
  }

  return { method: "POST", path: "/what-if", writes: false, answer };
}
