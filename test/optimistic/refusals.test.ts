import { describe, expect, test } from "vitest";

import {
  concurrency,
  ConfigurationError,
  createLimiter,
  type CreateLimiterOptions,
  fixedWindow,
  memoryStore,
  type Policy,
  slidingWindowLog,
} from "../support/limiter/plain.ts";

const minutely = (options: object) =>
  fixedWindow({ name: "own", limit: 100, window: "1m", optimistic: true, ...options });

function faults(options: Partial<CreateLimiterOptions>): readonly (readonly [string, string])[] {
  try {
    createLimiter({ policies: [minutely({})], store: memoryStore(), ...options });
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return error.faults.map(({ path, code }) => [path, code] as const);
  }
  return [];
}

const of = (...policies: Policy[]) => faults({ policies });
const PATH = "policies[0].optimistic";

describe("a policy that is optimistic", () => {
  test.each([
    { optimistic: true },
    { optimistic: {} },
    { optimistic: { unsettled: 100 } },
    { optimistic: { above: 0 } },
    { optimistic: { unsettled: 3, above: 0.99 } },
    { mode: "enforce", counts: "requests", refundable: false },
    { optimistic: undefined, mode: "shadow" },
  ])("%o is none that is refused", (options) => expect(of(minutely(options))).toEqual([]));

  test.each([
    [false, PATH, "shape"],
    [1, PATH, "shape"],
    [null, PATH, "shape"],
    [{ unsettled: 0 }, `${PATH}.unsettled`, "range"],
    [{ unsettled: 101 }, `${PATH}.unsettled`, "range"],
    [{ unsettled: 1.5 }, `${PATH}.unsettled`, "range"],
    [{ above: 1 }, `${PATH}.above`, "range"],
    [{ above: -0.1 }, `${PATH}.above`, "range"],
    [{ above: "0.5" }, `${PATH}.above`, "range"],
    [{ above: Number.NaN }, `${PATH}.above`, "range"],
    [{ unsetled: 1 }, `${PATH}.unsetled`, "unknown-option"],
  ])("with %o says what it has to be", (optimistic, path, code) => {
    expect(of(minutely({ optimistic }))).toEqual([[path, code]]);
  });

  test("has at most as many units open as its limit, which may be 1", () => {
    expect(of(minutely({ limit: 1, optimistic: { unsettled: 1 } }))).toEqual([]);
    expect(of(minutely({ limit: 1, optimistic: { unsettled: 2 } }))).toEqual([
      [`${PATH}.unsettled`, "range"],
    ]);
  });

  test("has at most 1,000 units open, for any limit", () => {
    expect(of(minutely({ limit: 5_000, optimistic: { unsettled: 1_001 } }))).toEqual([
      [`${PATH}.unsettled`, "range"],
    ]);
  });

  test.each([
    [{ counts: "failures" }, 'counts: "failures"'],
    [{ mode: "shadow" }, 'mode: "shadow"'],
    [{ mode: "soft" }, 'mode: "soft"'],
    [{ refundable: true }, "refundable"],
    [{ shards: 2 }, "shards"],
  ])("needs no answer first, as one with %o does", (options, option) => {
    expect(of(minutely(options))).toEqual([[PATH, "conflict"]]);
    const make = () => createLimiter({ policies: [minutely(options)], store: memoryStore() });
    expect(make).toThrow(`Leave out this or ${option},`);
  });

  test("counts no denials", () => {
    const ban = minutely({ by: "ip", counts: "denials" });
    const plain = fixedWindow({ name: "plain", by: "key", limit: 1, window: "1m" });
    expect(of(ban, plain)).toEqual([[PATH, "conflict"]]);
  });

  test("has no slots", () => {
    const slots = concurrency({ name: "slots", limit: 5, ttl: "1m" });
    expect(of({ ...slots, optimistic: true } as Policy)).toEqual([[PATH, "unsupported"]]);
  });

  test.each([
    [{ lease: "100ms" }, {}],
    [{}, { lease: "100ms" }],
  ] as const)("has no lease: %o, %o", (own, all) => {
    expect(faults({ policies: [minutely({ limit: 1000, ...own })], ...all })).toEqual([
      [PATH, "conflict"],
    ]);
  });

  test("is not alone with it in its dimension", () => {
    const strict = slidingWindowLog({ name: "strict", limit: 5, window: "1m" });
    expect(of(minutely({}), strict)).toEqual([["policies[1].optimistic", "conflict"]]);
    expect(of(strict, minutely({}))).toEqual([["policies[1].optimistic", "conflict"]]);
    expect(of(minutely({ by: "ip" }), { ...strict, by: "key" })).toEqual([]);
  });
});
