/**
 * The position of a JSON error: `at position 12 (line 1 column 13)`, or empty if the engine does not report it. Its own
 * message quotes the text, which may hold secrets.
 */
export function positionOfFault({ message }: SyntaxError): string {
  return /\bat position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0] ?? "";
}
