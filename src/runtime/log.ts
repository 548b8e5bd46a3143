// oxlint-disable no-console -- the one place that writes to the log

/** Logs a warning for the operator when no hook was supplied. Never called per request. */
export function report(message: string): void {
  console.warn(`tidegate: ${message}`);
}

/** Logs a line that programs read. */
export function logLine(line: string): void {
  console.log(line);
}

/** What this isolate has logged once. */
export const reported = new Set<string>();

/** Logs each message once per isolate, and at most 100 different ones. */
export function reportOnce(message: string): void {
  if (reported.has(message) || reported.size === 100) return;
  reported.add(message);
  report(message);
}

/** A failure repeats with every request, so one line a minute reports it. */
const PAUSE_MS = 60_000;

/**
 * Logs an event of requests, at most once a minute, with its count.
 *
 * @param now a steady clock, in milliseconds
 */
export function requestReporter(now: () => number): (what: string) => void {
  let count = 0;
  let quietUntilMs = -Infinity;

  return (what) => {
    count++;
    if (now() < quietUntilMs) return;
    const requests = count === 1 ? "1 request" : `${count} requests`;
    report(`${what}: ${requests} since the last such line.`);
    count = 0;
    quietUntilMs = now() + PAUSE_MS;
  };
}
