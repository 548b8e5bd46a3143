import type { Answer, Call, Execution } from "./call.ts";

/** Takes the next line of a story, which is only made if there is a listener. */
export type Trace = (line: () => string) => void;

export const silence: Trace = () => {};

export function describeExecution({ operation, costs, rows, given }: Execution): string {
  if (operation === "refund") return `refund ${costs.join()}: ${given.join()}`;
  const parts = rows.map(
    ({ allowed, remaining, retryAfterUs }) =>
      `${allowed ? "room" : "no room"}, ${remaining} left, wait ${retryAfterUs} us`,
  );
  return `${operation} ${costs.join()}: ${parts.join("; ") || "done"}`;
}

export function describeAnswer({ method }: Call, { decision, settlement, error }: Answer): string {
  if (settlement) return `${settlement.status} (${settlement.error?.code})`;
  if (error) return `${method}() failed: ${error.code}`;
  if (!decision) return "reset";
  const { reason, status, retryAfterMs } = decision;
  const why = decision.error ? ` (${decision.error.code})` : "";
  return `${reason}${why}, ${status}${retryAfterMs > 0 ? `, wait ${retryAfterMs} ms` : ""}`;
}
