/** Says something to whoever runs this isolate. Used where nobody else was given the word, and never per request. */
export function report(message: string): void {
  // oxlint-disable-next-line no-console -- the one place that writes to the log
  console.warn(`tidegate: ${message}`);
}

const reported = new Set<string>();

/** Reports the same thing once, however often a limiter is made; and no more than so many things. */
export function reportOnce(message: string): void {
  if (reported.has(message) || reported.size === 100) return;
  reported.add(message);
  report(message);
}
