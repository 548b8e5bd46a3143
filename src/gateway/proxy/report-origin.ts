import { requestReporter } from "../../runtime/log.ts";
import type { OriginFailure } from "./origin.ts";

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
  const kinds = { unreachable: requestReporter(now), timeout: requestReporter(now) };
  return (failure, error) => kinds[failure](`${WHAT[failure]}${codeOf(error)}`);
}

/** The code of a failed connection. Its message may contain data from the client. */
function codeOf(error: unknown): string {
  const { cause, code = Object(cause).code } = Object(error) as { cause?: unknown; code?: unknown };
  return typeof code === "string" ? ` (${code})` : "";
}
