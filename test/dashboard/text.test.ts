import { describe, expect, test } from "vitest";

import { readJson } from "../../packages/dashboard/src/edit/json-text.ts";
import { linkable, namedBy } from "../../packages/dashboard/src/partition/described.ts";
import { duration, percent } from "../../packages/dashboard/src/parts/format.ts";
import { clipped, plain } from "../../packages/dashboard/src/parts/plain.ts";
import { modeInWords, sourcesOf, termsOf } from "../../packages/dashboard/src/parts/rule-label.ts";
import { locationOf } from "../../packages/dashboard/src/parts/view-location.ts";
import { momentIn } from "../../src/runtime/moment-in.ts";

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
    const [placed] = readJson(text).place([{ path, code: "shape", value: "", remedy: "" }]);
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

test("a share is said with as many digits as it has", () => {
  const said = [0, 1, 9, 10, 99, 100, 5_000, 10_000].map((part) => percent(part, 10_000));
  expect(said).toEqual(["0 %", "< 0.1 %", "< 0.1 %", "0.1 %", "1.0 %", "1.0 %", "50 %", "100 %"]);
  expect(percent(0, 0)).toBe("–");
});

test("the quota of a calendar says where its windows begin, and in which zone", () => {
  const said = (more: object) =>
    termsOf({ algorithm: "fixed-window", name: "plan", limit: 5, window: "month", ...more });
  expect([
    said({}),
    said({ anchor: 15, timeZone: "Europe/Berlin" }),
    said({ window: "week", anchor: 7 }),
    said({ anchor: "2026-03-15T10:30:00Z" }),
    said({ anchor: Date.UTC(2026, 2, 15) }),
    said({ window: "15m", aligned: false }),
    said({ window: "1d" }),
    said({ limit: 9_007_199_254_740_991 }),
    termsOf({ algorithm: "token-bucket", name: "b", limit: 5000, refill: 0.005, per: "1s" }),
  ]).toEqual([
    "5 every month, UTC",
    "5 every month, from day 15, Europe/Berlin",
    "5 every week, from Sunday, UTC",
    "5 every month, as from 2026-03-15T10:30:00Z, UTC",
    "5 every month, as from 2026-03-15T00:00:00.000Z, UTC",
    "5 every 15m, from a client's first request",
    "5 every 1d",
    "9,007,199,254,740,991 every month, UTC",
    "5,000, 0.005 back every 1s",
  ]);
  expect(momentIn("Europe/Berlin", "2026-11-30T23:00:00Z")).toBe(
    "1 Dec 2026, 00:00, Europe/Berlin",
  );
  expect(momentIn("No/Where", "2026-11-30T23:00:00Z")).toBeUndefined();
});

test("what a policy counts by, and what it does, is said in words", () => {
  expect([
    sourcesOf(undefined),
    sourcesOf("*"),
    sourcesOf("ip"),
    sourcesOf([["header:x-user-id", "country"], "ip"]),
    ...["enforce", "shadow", "soft", "other"].map(modeInWords),
  ]).toEqual([
    "",
    "everybody together",
    "ip",
    "header:x-user-id and country, else ip",
    "denies",
    "only watches",
    "marks",
    "other",
  ]);
});

test("times are said in two units", () => {
  expect([duration(1_500), duration(61_000), duration(3_600_000), duration(90_000_000)]).toEqual([
    "1.5 s",
    "1 min 1 s",
    "1 h",
    "1 d 1 h",
  ]);
});

test("an address shows no secrets of a described request", () => {
  const secrets = "Authorization: Bearer s\nProxy-Authorization: Basic s\ncookie: session=1";
  const headers = `x-user-id: 42\n${secrets}`;
  expect(linkable({ method: "GET", path: "/", ip: "", headers })["headers"]).toBe("x-user-id: 42");
  expect(namedBy("ip:2001:db8::1")).toEqual({ ip: "2001:db8::1" });
  expect(namedBy("x-user-id:42")).toEqual({ headers: "x-user-id: 42" });
  expect(namedBy("ip:Zf3qk9Xr5cW1uYtB7oMh2A")).toEqual({});
  expect(namedBy(`x-user-id:${"a1_-".repeat(11).slice(1)}`)).toEqual({});
});

test("a hash names a view, its rest, and a query", () => {
  const { view, rest, query } = locationOf("#/rules/12?at=rules%5B0%5D");
  expect([view, rest, query.get("at")]).toEqual(["rules", "12", "rules[0]"]);
  expect(locationOf("")).toMatchObject({ view: "", rest: "" });
});
