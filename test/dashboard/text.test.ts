import { describe, expect, test } from "vitest";

import { placeOf } from "../../src/dashboard/app/place.ts";
import { readJson } from "../../src/dashboard/edit/json-text.ts";
import { quantile } from "../../src/dashboard/overview/series.ts";
import { linkable, namedBy } from "../../src/dashboard/partition/described.ts";
import { duration } from "../../src/dashboard/parts/format.ts";
import { clipped, plain } from "../../src/dashboard/parts/plain.ts";

describe("a text of JSON", () => {
  const text =
    '{\n  "rules": [\n    { "path": "/a", "policies": [\n      { "limit": 0 }] }\n  ]\n}';

  test.each([
    ["rules[0].policies[0].limit", 4],
    ["rules[0].policies[0].window", 4],
    ["rules[0].partition", 3],
    ["rules[7]", 2],
    ["plans.gold", 1],
  ])("has %s in line %i", (path, line) => {
    const [placed] = readJson(text).place([{ path, value: "", remedy: "" }]);
    expect(placed!.line).toBe(line);
  });

  test("says where it is none", () => {
    const { faults } = readJson(text.replace('"/a",', '"/a"'));
    expect(faults.map(({ line, remedy }) => [line, remedy])).toEqual([[3, "Comma expected."]]);
    expect(readJson(text).faults).toEqual([]);
  });
});

test("texts of clients have nothing that cannot be seen", () => {
  expect(plain("a\u0000\u202Eb\uD800")).toBe("a\\u{0000}\\u{202e}b\\u{d800}");
  expect(plain("Zürich 東京 🚲")).toBe("Zürich 東京 🚲");
  expect(clipped("x".repeat(8_192))).toBe(`${"x".repeat(160)}… (8192 characters)`);
});

test("times are said in two units", () => {
  expect([duration(1_500), duration(61_000), duration(3_600_000), duration(90_000_000)]).toEqual([
    "1.5 s",
    "1 min 1 s",
    "1 h",
    "1 d 1 h",
  ]);
});

test("a share of answers took at most what its bucket says", () => {
  const durations = [
    { le: 0.001, counts: [50, 0] },
    { le: 0.002, counts: [50, 0] },
    { le: null, counts: [0, 3] },
  ];
  expect(quantile(durations, 0.5, 0)).toBe(1);
  expect(quantile(durations, 0.75, 0)).toBe(1.5);
  // Above the last bound nothing more is known.
  expect(quantile(durations, 0.99, 1)).toBe(2);
  expect(quantile(durations, 0.99, 2)).toBe(null);
});

test("an address shows no secrets of a described request", () => {
  const headers = "x-user-id: 42\nAuthorization: Bearer s\ncookie: session=1";
  expect(linkable({ method: "GET", path: "/", ip: "", headers })["headers"]).toBe("x-user-id: 42");
  expect(namedBy("ip:2001:db8::1")).toEqual({ ip: "2001:db8::1" });
  expect(namedBy("x-user-id:42")).toEqual({ headers: "x-user-id: 42" });
  expect(namedBy("ip:Zf3qk9Xr5cW1uYtB7oMh2A")).toEqual({});
});

test("a hash names a view, its rest, and a query", () => {
  const { view, rest, query } = placeOf("#/rules/12?at=rules%5B0%5D");
  expect([view, rest, query.get("at")]).toEqual(["rules", "12", "rules[0]"]);
  expect(placeOf("")).toMatchObject({ view: "", rest: "" });
});
