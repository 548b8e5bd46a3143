/** Long enough for a gateway or a Redis that is much too slow to say so. */
export const PROBE_TIMEOUT_MS = 5_000;

/** Why there was no answer, in a few words and without an address, which may hold a password. */
export function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === "TimeoutError") return `no answer within ${PROBE_TIMEOUT_MS / 1000} s`;
  const { code } = Object(cause ?? error) as { code?: unknown };
  return typeof code === "string" ? code : message;
}
