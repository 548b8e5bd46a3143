import fc from "fast-check";

import { allMade } from "./made.ts";

/** Text of an attacker: any UTF-16, halves of characters, delimiters, escapes, blanks, much of one. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: "binary", maxLength: 60 }),
  fc.string({
    unit: fc.constantFrom(..."%u#{}:/\"'\\\r\n\0 .-_ab01\ud800\udc00é漢"),
    maxLength: 40,
  }),
  fc.constantFrom("__proto__", "constructor", "undefined", "null", "NaN", "no-identity", "*"),
  fc
    .tuple(fc.constantFrom(...'a/%.{[(\\"1,:; \n\0é\ud800'), fc.constantFrom(129, 4_096, 65_536))
    .map(([character, length]) => character.repeat(length)),
);

const NUMBERS = [0, -0, -1, 0.5, 1, 5, 1e9, 1e9 + 1, 2 ** 53, Infinity, NaN];
const WORDS = "1s 0s 1e3s 10 366d local closed ip zone memory redis cloudflare https://example.com";

/** Values that a configuration file, or an author in a hurry, could put anywhere. */
const plainValue: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom<unknown>(undefined, null, true, false, [], {}, "", ...NUMBERS),
  fc.constantFrom(...WORDS.split(" ")),
  fc.double(),
  hostileText,
);

/** Values of every kind that JavaScript has; `realize` them before use. */
export const hostileValue: fc.Arbitrary<unknown> = fc.oneof(
  plainValue,
  fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withObjectString: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
    maxDepth: 2,
    maxKeys: 3,
  }),
  fc.constantFrom<unknown>(Symbol("s"), Symbol.iterator, /a/, 1n),
  fc.constantFrom(...allMade),
);
