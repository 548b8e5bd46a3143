import type { Command } from "commander";

import { parseDuration } from "../../../../src/options/duration.ts";
import { UsageError } from "../errors.ts";
import { escape } from "../output/escape.ts";

/** When an entry ends. */
export interface EndOptions {
  readonly for?: string;
  readonly until?: string;
}

export function withEnd(command: Command): Command {
  return command
    .option("--for <duration>", "how long: 30s, 10m, 1h or 7d (default: for ever)")
    .option("--until <moment>", "until when, with a time zone: 2027-01-01T00:00:00Z");
}

/** The end as the admin API takes it, which knows the time better than this machine. */
export function endOf({ for: duration, until }: EndOptions): object {
  if (duration !== undefined && until !== undefined) {
    throw new UsageError("Give --for or --until, not both.");
  }
  if (duration !== undefined && parseDuration(duration) === undefined) {
    throw new UsageError(`--for takes a time such as 30s, 10m, 1h or 7d, not "${duration}".`);
  }
  return {
    ...(duration !== undefined && { for: duration }),
    ...(until !== undefined && { until }),
  };
}

/** The end that the gateway has computed, after the sentence about the action. */
export function endText({ until }: { readonly until?: string | number | undefined }): string {
  return until === undefined ? "" : ` until ${escape(String(until))}`;
}
