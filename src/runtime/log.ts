/** Logs a warning for the operator when no hook was supplied. Never called per request. */
export function report(message: string): void {
  // oxlint-disable-next-line no-console -- the one place that writes to the log
  console.warn(`tidegate: ${message}`);
}

const reported = new Set<string>();

/** Logs each message once per isolate, and at most 100 different ones. */
export function reportOnce(message: string): void {
  if (reported.has(message) || reported.size === 100) return;
  reported.add(message);
  report(message);
}
