import { report } from "../../runtime/log.ts";
import type { OriginFailure } from "./proxy.ts";

/** An outage fails every request: one line a minute says so. */
const PAUSE_MS = 60_000;

const WHAT: Readonly<Record<OriginFailure, string>> = {
  unreachable: "the origin did not answer",
  timeout: "the origin did not answer within ORIGIN_TIMEOUT",
};

/** Reports a request to which the origin gave no answer. */
export type ReportOrigin = (failure: OriginFailure, error?: unknown) => void;

/**
 * Logs that the origin gives no answer, at most once a minute for each kind of failure, with how many there were.
 *
 * @param now a steady clock, in milliseconds
 */
export function originReporter(now: () => number): ReportOrigin {
  const kinds = {
    unreachable: { count: 0, quietUntilMs: -Infinity },
    timeout: { count: 0, quietUntilMs: -Infinity },
  };

  return (failure, error) => {
    const kind = kinds[failure];
    kind.count++;
    if (now() < kind.quietUntilMs) return;
    const requests = kind.count === 1 ? "1 request" : `${kind.count} requests`;
    report(`${WHAT[failure]}${codeOf(error)}: ${requests} since the last such line.`);
    kind.count = 0;
    kind.quietUntilMs = now() + PAUSE_MS;
  };
}

/** The code of a failed connection. Its message may contain what the client sent. */
function codeOf(error: unknown): string {
  const { code } = Object(Object(error).cause) as { code?: unknown };
  return typeof code === "string" ? ` (${code})` : "";
}
