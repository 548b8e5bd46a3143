/** Says something to whoever runs this isolate. Used where nobody else was given the word, and never per request. */
export function report(message: string): void {
  // oxlint-disable-next-line no-console -- the one place that writes to the log
  console.warn(`tidegate: ${message}`);
}
