import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { hash, partitionKey } from "../../src/partition/partition-key.ts";

/**
 * The identity that a key stands for. Two identities with one key would need a pair that is related to be found; that a
 * key can be read back needs none.
 */
function decode(key: string): string {
  return key.replace(/%u[0-9a-f]{4}|%[0-9a-f]{2}/g, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.replace(/^%u?/, ""), 16)),
  );
}

/** Any UTF-16 code units: halves of characters, and the characters of escapes and hashes. */
const identity = fc.oneof(
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 40 })
    .map((units) => String.fromCharCode(...units)),
  fc.string({ unit: fc.constantFrom(..."%#u{}0123abcf\0\x01\x0f\n \u0100\u0fff\ud800\udc00é漢") }),
  fc.string({ unit: "binary", maxLength: 40 }),
);

describe("a key that is no hash", () => {
  test("can be read back, for any identity", () => {
    fc.assert(
      fc.property(identity, (text) => {
        fc.pre(text !== "");
        const key = partitionKey(text);
        if (typeof key === "string") expect(decode(key)).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test("can be read back for every code unit, and those beside it", () => {
    const lost: string[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const character = String.fromCharCode(unit);
      for (const text of [character, `${character}0`, `u${character}f`]) {
        if (decode(partitionKey(text) as string) !== text) lost.push(text);
      }
    }
    expect(lost).toEqual([]);
  });

  test.each([
    ["\x010", "%010"],
    ["\x10", "%10"],
    ["\u01234", "%u01234"],
    ["\u1234", "%u1234"],
    ["%u1234", "%25u1234"],
    ["\0", "%00"],
    ["#", "%23"],
  ])("writes %j as %j", (text, key) => {
    expect(partitionKey(text)).toBe(key);
  });
});

describe("a key that is a hash", () => {
  test("is SHA-256 of the escaped identity, in base64 for URLs without padding", async () => {
    expect(await hash("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    expect(await hash("")).toBe("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    expect(await hash("{")).toBe("qyDKa57DZK5yq8SMxvOl_YcIHPLMdGWHG7l8ig0_qSE");
    expect(await partitionKey("a".repeat(129))).toBe(`#${await hash("a".repeat(129))}`);
  });

  test("is another one for each half of a character", async () => {
    const halves = ["\ud800", "\ud801", "\udc00", "\ufffd"];
    expect(new Set(await Promise.all(halves.map(hash))).size).toBe(4);
  });

  test("is never the key of another identity: only it begins with #", async () => {
    const key = await partitionKey("a".repeat(129));
    expect(key).toMatch(/^#/);
    expect(partitionKey(key)).toBe(key.replace("#", "%23"));
    expect(partitionKey(key.slice(1))).toBe(key.slice(1));
  });
});
