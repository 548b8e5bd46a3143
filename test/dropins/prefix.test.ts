import { expect, test } from "vitest";

import { prefixOf } from "../../src/dropins/prefix.ts";
import { PREFIX } from "../../src/limiter/settings.ts";

test("any two prefixes stay two, in the characters that a limiter takes", () => {
  const prefixes = ["\n", "_a", "_0a", "_5f0a", "a b", "a_20b", "a:b", "{a}", "ä", "_e4"];
  prefixes.push("", "_", "-", "_2d", "€", " ac", "_20ac", "_u20ac", "_u20a", "\ud83d");
  const spelt = prefixes.map(prefixOf);
  expect(new Set(spelt).size).toBe(prefixes.length);
  for (const prefix of spelt) expect(prefix).toMatch(PREFIX);
});
