import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { partitionKey } from "../../src/decide/identify.ts";
import { hash } from "../../src/partition/key-text.ts";

/** The characters of a key: none that closes or moves the hash tag, or breaks a line of a log. */
const KEY = /^[A-Za-z0-9._~@:/+=,|%#-]{1,128}$/;

/** Strings as an attacker would choose them: any UTF-16 code units, and the characters of our own encoding. */
const hostile = fc.oneof(
  fc.string({ unit: "binary", minLength: 1, maxLength: 200 }),
  fc
    .array(fc.integer({ min: 0, max: 0xffff }), { minLength: 1, maxLength: 200 })
    .map((units) => String.fromCharCode(...units)),
  fc.string({
    unit: fc.constantFrom(..."%u#{}:/\"'\\\r\n\0 ab01\ud800\udc00é漢"),
    minLength: 1,
    maxLength: 200,
  }),
);

/**
 * The identity that a key stands for. Two identities with one key would need a pair that is related to be found; that a
 * key can be read back needs none.
 */
function decode(key: string): string {
  return key.replace(/%u[0-9a-f]{4}|%[0-9a-f]{2}/g, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.replace(/^%u?/, ""), 16)),
  );
}

describe("partitionKey", () => {
  test("gives different identities different keys, of safe characters and bounded length", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, hostile, async (one, other) => {
        const [first, second] = [await partitionKey(one), await partitionKey(other)];
        expect(first).toMatch(KEY);
        expect(second).toMatch(KEY);
        expect(first === second).toBe(one === other);
      }),
      { numRuns: 2_000 },
    );
  });

  test("gives a key that is no hash, which can be read back, for any identity", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const key = partitionKey(text);
        if (typeof key === "string") expect(decode(key)).toBe(text);
      }),
      { numRuns: 5_000 },
    );
  });

  test("gives one that can be read back for every code unit, and those beside it", () => {
    const lost: string[] = [];
    for (let unit = 0; unit <= 0xffff; unit++) {
      const character = String.fromCharCode(unit);
      for (const text of [character, `${character}0`, `u${character}f`]) {
        if (decode(partitionKey(text) as string) !== text) lost.push(text);
      }
    }
    expect(lost).toEqual([]);
  });

  test("never takes a key for the identity that has it", async () => {
    await fc.assert(
      fc.asyncProperty(hostile, async (identity) => {
        const key = await partitionKey(identity);
        fc.pre(key !== identity);
        expect(await partitionKey(key)).not.toBe(key);
      }),
    );
  });

  test.each([
    ["user:42", "user:42"],
    ["2001:db8:0:1::/64", "2001:db8:0:1::/64"],
    ["ada+test@example.com", "ada+test@example.com"],
    ["a{b}c", "a%7bb%7dc"],
    ["%7b", "%257b"],
    ["#abc", "%23abc"],
    ["a b\r\n\0", "a%20b%0d%0a%00"],
    ["\"'`\\", "%22%27%60%5c"],
    ["é", "%e9"],
    ["漢", "%u6f22"],
    ["\ud800", "%ud800"],
    ["\udc00", "%udc00"],
    ["\ufffd", "%ufffd"],
    ["\x010", "%010"],
    ["\x10", "%10"],
    ["\u01234", "%u01234"],
    ["\u1234", "%u1234"],
    ["%u1234", "%25u1234"],
  ])("writes %j as %j", (identity, key) => {
    expect(partitionKey(identity)).toBe(key);
  });

  test("keeps 128 characters and hashes the 129th, or what escapes make longer", async () => {
    expect(partitionKey("a".repeat(128))).toBe("a".repeat(128));
    expect(await partitionKey("a".repeat(129))).toMatch(/^#[A-Za-z0-9_-]{43}$/);
    expect(partitionKey("{".repeat(42))).toBe("%7b".repeat(42));
    expect(await partitionKey("{".repeat(43))).toMatch(/^#[A-Za-z0-9_-]{43}$/);
  });

  test("hashes by SHA-256 of the escaped identity, in base64 for URLs without padding", async () => {
    expect(await hash("abc")).toBe("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0");
    expect(await hash("")).toBe("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
    expect(await hash("{")).toBe("qyDKa57DZK5yq8SMxvOl_YcIHPLMdGWHG7l8ig0_qSE");
    expect(await partitionKey("a".repeat(129))).toBe(`#${await hash("a".repeat(129))}`);
  });

  test("tells long identities apart by their last character, and by halves of characters", async () => {
    const long = "x".repeat(65_536);
    const keys = await Promise.all(
      [long, `${long}a`, `${long}b`, `${long}\ud800`, `${long}\udbff`, `${long}\ufffd`].map(
        (text) => partitionKey(text),
      ),
    );
    expect(new Set(keys).size).toBe(6);
    for (const key of keys) expect(key).toHaveLength(44);
  });

  test("gives no other identity the key of a long one: only that begins with #", async () => {
    const key = await partitionKey("a".repeat(129));
    expect(partitionKey(key)).toBe(key.replace("#", "%23"));
    expect(partitionKey(key.slice(1))).toBe(key.slice(1));
  });

  test.each([[""], [undefined], [null], [42], [{}], [["user"]]])("refuses %j", (identity) => {
    expect(() => partitionKey(identity as string)).toThrow(
      expect.objectContaining({ name: "TidegateError", code: "ERR_IDENTITY" }),
    );
  });
});
