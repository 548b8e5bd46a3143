/** A segment of a pattern with a `*` inside: any text that begins and ends like this. */
export interface Wildcard {
  readonly before: string;
  readonly after: string;
}

export function wildcardOf(segment: string): Wildcard {
  const [before, after] = segment.split("*") as [string, string];
  return { before, after };
}

export function matches({ before, after }: Wildcard, segment: string): boolean {
  return (
    segment.length >= before.length + after.length &&
    segment.startsWith(before) &&
    segment.endsWith(after)
  );
}
