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
    return error.faults.map(({ path, code, remedy }) => [path, `${code}: ${remedy}`] as const);
  }
  return [];
}

const of = (...policies: Policy[]) => faults({ policies });
const late = (option: string) =>
  `conflict: Leave out this or ${option}, for which Redis has to count a request before it is answered.`;
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

  const shape = "shape: Use true, or { unsettled: 1, above: 0.5 } with your numbers.";
  const share = "range: Give a share of the limit, from 0 to below 1.";
  const units = "range: Give a whole number from 1 to 100.";
  test.each([
    [false, PATH, shape],
    [1, PATH, shape],
    [null, PATH, shape],
    [{ unsettled: 0 }, `${PATH}.unsettled`, units],
    [{ unsettled: 101 }, `${PATH}.unsettled`, units],
    [{ unsettled: 1.5 }, `${PATH}.unsettled`, units],
    [{ above: 1 }, `${PATH}.above`, share],
    [{ above: -0.1 }, `${PATH}.above`, share],
    [{ above: "0.5" }, `${PATH}.above`, share],
    [{ above: Number.NaN }, `${PATH}.above`, share],
    [
      { unsetled: 1 },
      `${PATH}.unsetled`,
      "unknown-option: Did you mean `unsettled`? The options are unsettled, above, and nothing else.",
    ],
  ])("with %o says what it has to be", (optimistic, path, remedy) => {
    expect(of(minutely({ optimistic }))).toEqual([[path, remedy]]);
  });

  test("has at most as many units open as its limit, which may be 1", () => {
    expect(of(minutely({ limit: 1, optimistic: { unsettled: 1 } }))).toEqual([]);
    expect(of(minutely({ limit: 1, optimistic: { unsettled: 2 } }))).toEqual([
      [`${PATH}.unsettled`, "range: Give a whole number from 1 to 1."],
    ]);
  });

  test("has at most 1,000 units open, for any limit", () => {
    expect(of(minutely({ limit: 5_000, optimistic: { unsettled: 1_001 } }))).toEqual([
      [`${PATH}.unsettled`, "range: Give a whole number from 1 to 1000."],
    ]);
  });

  test.each([
    [{ counts: "failures" }, late('counts: "failures"')],
    [{ mode: "shadow" }, late('mode: "shadow"')],
    [{ mode: "soft" }, late('mode: "soft"')],
    [{ refundable: true }, late("refundable")],
    [{ shards: 2 }, late("shards")],
  ])("needs no answer first, as one with %o does", (options, remedy) => {
    expect(of(minutely(options))).toEqual([[PATH, remedy]]);
  });

  test("counts no denials", () => {
    const ban = minutely({ by: "ip", counts: "denials" });
    const plain = fixedWindow({ name: "plain", by: "key", limit: 1, window: "1m" });
    expect(of(ban, plain)).toEqual([[PATH, late('counts: "denials"')]]);
  });

  test("has no slots", () => {
    const slots = concurrency({ name: "slots", limit: 5, ttl: "1m" });
    expect(of({ ...slots, optimistic: true } as Policy)).toEqual([
      [
        PATH,
        "unsupported: Leave it out: a slot is taken before a request begins, never afterwards.",
      ],
    ]);
  });

  test.each([
    [{ lease: "100ms" }, {}],
    [{}, { lease: "100ms" }],
  ] as const)("has no lease: %o, %o", (own, all) => {
    expect(faults({ policies: [minutely({ limit: 1000, ...own })], ...all })).toEqual([
      [
        PATH,
        'conflict: Leave out this or the lease: what an isolate holds it spends without waiting, and without an excess. Or use lease: "auto", which goes together with it.',
      ],
    ]);
  });

  test("is not alone with it in its dimension", () => {
    const strict = slidingWindowLog({ name: "strict", limit: 5, window: "1m" });
    const remedy =
      "conflict: Give policies[0] and this one both the option, or neither: they count the same, and if Redis decides one of them, both wait.";
    expect(of(minutely({}), strict)).toEqual([["policies[1].optimistic", remedy]]);
    expect(of(strict, minutely({}))).toEqual([["policies[1].optimistic", remedy]]);
    expect(of(minutely({ by: "ip" }), { ...strict, by: "key" })).toEqual([]);
  });
});
