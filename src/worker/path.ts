/** A path as its segments: what stands between the slashes, decoded, in lower case. */
export type Segments = readonly string[];

/** How often escapes are decoded: once more than an origin should. */
const ROUNDS = 2;

/**
 * Every way in which an origin may read a path. A request is limited if a rule names any of them, so that no spelling
 * of a limited path goes past its rule; the origin gets the path as it was sent.
 *
 * Case, repeated slashes and one at the end make no difference. Of an escaped slash or dot, nobody knows whether the
 * origin takes it for a slash or dot or for a part of a name, nor of a `;` whether it ends the name: there is a
 * reading for each.
 */
export function readPath(pathname: string): readonly Segments[] {
  // Most paths leave no choice: what a URL's parser resolved is not resolved again.
  if (!/[%;\\]/.test(pathname)) return [toSegments(pathname)];
  const readings: Segments[] = [];
  let spelling = pathname;
  for (let round = 0; round <= ROUNDS; round++) {
    for (const text of [spelling, spelling.replace(/;[^/\\]*/g, "")]) {
      const segments = toSegments(text);
      readings.push(segments, resolveDots(segments));
    }
    spelling = decode(spelling);
  }
  return readings;
}

function toSegments(text: string): Segments {
  return text
    .split(/[/\\]/)
    .filter((segment) => segment !== "")
    .map((segment) => decode(decode(segment)).toLowerCase());
}

function resolveDots(segments: Segments): Segments {
  const resolved: string[] = [];
  for (const segment of segments) {
    if (segment === "..") resolved.pop();
    else if (segment !== ".") resolved.push(segment);
  }
  return resolved;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Decodes escapes once. What is not UTF-8 becomes U+FFFD, and hides nothing that stands beside it. */
function decode(text: string): string {
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) =>
    utf8.decode(Uint8Array.from(escapes.slice(1).split("%"), (hex) => Number.parseInt(hex, 16))),
  );
}
