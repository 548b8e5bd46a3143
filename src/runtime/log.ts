// oxlint-disable no-console -- the one place that writes to the log

/** Logs a warning for the operator when no hook was supplied. Never called per request. */
export function report(message: string): void {
  console.warn(`tidegate: ${message}`);
}

/** Logs a line that programs read. */
export function logLine(line: string): void {
  console.log(line);
}

const reported = new Set<string>();

/** Logs each message once per isolate, and at most 100 different ones. */
export function reportOnce(message: string): void {
  if (reported.has(message) || reported.size === 100) return;
  reported.add(message);
  report(message);
}
