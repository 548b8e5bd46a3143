/**
 * Where a text is no JSON: `at position 12 (line 1 column 13)`, or nothing where the engine does not say. Its own message quotes
 * the text, which may hold secrets.
 */
export function placeOfFault({ message }: SyntaxError): string {
  return /\bat position \d+(?: \(line \d+ column \d+\))?/.exec(message)?.[0] ?? "";
}
