import fc from "fast-check";
import { expect, test } from "vitest";

import { parseJson } from "../../src/admin/json-text.ts";
import { runs } from "../support/runs.ts";

test("every JSON text is parsed as JSON.parse() parses it", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom(0, 2, "\t"), (text, indent) => {
      const spaced = JSON.stringify(JSON.parse(text), null, indent);
      expect(parseJson(spaced)).toEqual(JSON.parse(text));
    }),
    { numRuns: runs(500) },
  );
});

test("a text that JSON.parse() refuses is refused, and no other", () => {
  const words = ["true", "null", "NaN", '"a"', '"b"', '"\\u0041"', '"\\x"', "\u0000", "12", "01"];
  const piece = fc.constantFrom(...'{}[],:"\\ \n0-1.eE+'.split(""), ...words);
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      let expected: unknown;
      try {
        expected = JSON.parse(text);
      } catch {
        expect(() => parseJson(text)).toThrow("is not JSON");
        return;
      }
      expect(parseJson(text)).toEqual(expected);
    }),
    { numRuns: runs(3_000) },
  );
});

test.for([
  ['{"a":1,"b":{"a":1,"c":2},"c":[{"a":1},{"a":1}]}', undefined],
  ['{"a":1,"b":"a","c":["a","a"]}', undefined],
  ['{"a":{"b":1},"a":2}', "has a name twice in one object: line 1, column 14"],
  ['[{"a":1,\n"\\u0061":2}]', "has a name twice in one object: line 2, column 1"],
  ['{"a":1,}', "is not JSON: line 1, column 8"],
  ["[1,]", "is not JSON: line 1, column 4"],
  ["[1}", "is not JSON: line 1, column 3"],
  ["1 2", "is not JSON: line 1, column 3"],
  ["{1:2}", "is not JSON: line 1, column 2"],
  ['{"a" 1}', "is not JSON: line 1, column 6"],
  ["[", "is not JSON: it ends too early"],
  ["'a'", "is not JSON: line 1, column 1"],
  ["[1] // more", "is not JSON: line 1, column 5"],
] as const)("%s: %s", ([text, message]) => {
  if (message === undefined) expect(parseJson(text)).toEqual(JSON.parse(text));
  else expect(() => parseJson(text)).toThrow(message);
});
