import fc from "fast-check";
import { afterEach, describe, expect, test, vi } from "vitest";

import { createLimiter, fixedWindow, memoryStore, refundable } from "../../src/index.ts";
import { RequestError, usage } from "../../src/llm.ts";
import { createPrices, PRICES, type PriceTable } from "../../src/prices.ts";
import { runs } from "../support/runs.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const { price, estimate } = createPrices();

describe("a usage costs what its provider bills, in micro-dollars rounded up:", () => {
  test.for([
    // 200 x 0.25 + 1,000 x 0.025 + 300 x 2.
    ["gpt-5-mini", { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 300 }, 675],
    // A version of it, and its alias.
    ["gpt-5-mini-2025-08-07", { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 300 }, 675],
    // Half of it: 337.5.
    [
      "gpt-5-mini",
      { inputTokens: 1_200, cachedTokens: 1_000, outputTokens: 300, tiers: ["flex"] },
      338,
    ],
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, tiers: ["priority"] }, 450],
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, tiers: ["default"] }, 250],
    // 300,000 x 2.5 x 2 + 1,000 x 15 x 1.5.
    ["gpt-5.4", { inputTokens: 300_000, outputTokens: 1_000 }, 1_522_500],
    // 272,000 x 2.5 + 1,000 x 15: not above.
    ["gpt-5.4", { inputTokens: 272_000, outputTokens: 1_000 }, 695_000],
    // 100 x 5 + 800 x 6.25 + 100 x 10 + 1,000 x 0.5 + 50 x 25.
    [
      "claude-opus-5",
      {
        inputTokens: 2_000,
        cachedTokens: 1_000,
        cacheWriteTokens: 900,
        cacheWriteHourTokens: 100,
        outputTokens: 50,
      },
      8_250,
    ],
    // (1,000 x 5 + 100 x 25) x 6 x 1.1, and two searches.
    [
      "claude-opus-4-6",
      { inputTokens: 1_000, outputTokens: 100, searches: 2, tiers: ["standard", "fast", "us"] },
      69_500,
    ],
    // 600 x 0.3 + 400 x 1 + 80 x 2.5, and three searches at 35,000.
    [
      "gemini-2.5-flash",
      {
        inputTokens: 1_000,
        audioInputTokens: 400,
        outputTokens: 80,
        searches: 3,
        tiers: ["ON_DEMAND"],
      },
      105_780,
    ],
    // 200 x 5 + 100 x 25: the second model is dearer.
    [
      "claude-haiku-4-5",
      {
        inputTokens: 200,
        outputTokens: 100,
        models: ["claude-haiku-4-5-20251001", "claude-opus-5"],
      },
      3_500,
    ],
    ["text-embedding-3-small", { inputTokens: 1, outputTokens: 0 }, 1],
    // As routers name them: OpenRouter, and the gateway of the AI SDK.
    ["openai/gpt-5-mini", { inputTokens: 1_000, outputTokens: 0 }, 250],
    ["openai/gpt-4o-2024-05-13", { inputTokens: 1_000, outputTokens: 0 }, 5_000],
    ["google/gemini-2.5-flash", { inputTokens: 1_000, outputTokens: 0 }, 300],
    ["anthropic/claude-haiku-4.5", { inputTokens: 1_000, outputTokens: 0 }, 1_000],
    ["claude-haiku-4.5-20251001", { inputTokens: 1_000, outputTokens: 0 }, 1_000],
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, models: ["openai/gpt-5-mini"] }, 250],
    // A cheaper tier that was asked for and not given: the stream named both.
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, tiers: ["flex", "default"] }, 250],
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, tiers: ["auto", "flex"] }, 125],
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, tiers: ["default", "priority"] }, 450],
    // 1,000 x 0.25, two searches at 10,000, and a container.
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, searches: 2, containers: 1 }, 50_250],
    // The provider's own word, where it is more.
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, costMicroDollars: 300 }, 300],
    ["gpt-5-mini", { inputTokens: 1_000, outputTokens: 0, costMicroDollars: 200 }, 250],
    ["gpt-5", { inputTokens: 0, outputTokens: 0 }, 0],
    ["gpt-5", { inputTokens: Number.MAX_SAFE_INTEGER, outputTokens: 9 }, Number.MAX_SAFE_INTEGER],
  ] as const)("%s: %o", ([model, told, micros]) => {
    expect(price(model)(told)).toBe(micros);
  });
});

const codeOf = (run: () => unknown) => {
  try {
    run();
  } catch (error) {
    if (!(error instanceof RequestError)) throw error;
    return error.faults.map(({ path, code }) => `${path} ${code}`);
  }
  return [];
};

test("what has no price is an error of the request, with everything that is unknown", () => {
  expect(codeOf(() => price("gpt-7"))).toEqual(["model unknown-name"]);
  expect(codeOf(() => price("constructor"))).toEqual(["model unknown-name"]);
  expect(codeOf(() => estimate("gpt-7", {}))).toEqual(["model unknown-name"]);
  expect(codeOf(() => estimate("gpt-5", { service_tier: "warp" }))).toEqual(["tier unknown-name"]);
  const told = { inputTokens: 1, outputTokens: 1, tiers: ["toString"], searches: 1 };
  expect(codeOf(() => price("o3")({ ...told, models: ["o9"] }))).toEqual([
    "tier unknown-name",
    "model unknown-name",
  ]);
  const table = { date: "2026-11-05", models: { own: { input: 1, output: 1 } } };
  expect(codeOf(() => createPrices({ prices: table }).price("own")(told))).toEqual([
    "tier unknown-name",
    "searches missing",
  ]);
  const ran = { inputTokens: 1, outputTokens: 1, containers: 1 };
  expect(codeOf(() => price("claude-opus-5")(ran))).toEqual(["containers missing"]);
});

test.for([
  ["GPT-5-mini", "gpt-5-mini"],
  ["gpt-5-mimi", "gpt-5-mini"],
  ["azure/gpt-5-mini", "gpt-5-mini"],
  ["openai/gpt-5-mini:online", undefined],
  // A later model is not an earlier one, whose price may be lower.
  ["gpt-5.7", undefined],
] as const)("the fault of the model %s asks for the name that is meant: %s", ([name, meant]) => {
  const hint = meant ? `Did you mean \`${meant}\`? ` : "";
  expect(() => price(name)).toThrow(
    new RegExp(`${hint.replaceAll("?", "\\?")}It has no price: add it with createPrices`),
  );
  if (!meant) expect(() => price(name)).not.toThrow("Did you mean");
});

test("a name of your table counts before the same name without its maker", () => {
  const models = { ...PRICES.models, "openai/gpt-5-mini": { input: 9, output: 9 } };
  const own = createPrices({ prices: { ...PRICES, models } });
  expect(own.price("openai/gpt-5-mini")({ inputTokens: 1, outputTokens: 1 })).toBe(18);
});

test("a price that is known to change is the later one from its day on", () => {
  const told = { inputTokens: 1_000, outputTokens: 100 };
  vi.useFakeTimers({ now: Date.parse("2026-12-31T23:59:59Z") });
  // 1,000 x 0.75 + 100 x 3.75.
  expect(price("gemini-3.8-flash")(told)).toBe(1_125);
  vi.setSystemTime("2027-01-01");
  expect(price("gemini-3.8-flash")(told)).toBe(2_250);
});

test("with a notice, it is logged once and costs as much as the dearest model", () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const lenient = createPrices({ onUnknown: "notice" });
  const cost = lenient.price("my-model");
  // 1,000 x 30 + 10 x 180 at gpt-5.5-pro; Opus 4.6 in fast mode is 1,000 x 30 + 10 x 150.
  expect(cost({ inputTokens: 1_000, outputTokens: 10 })).toBe(31_800);
  expect(cost({ inputTokens: 1_000, outputTokens: 10 })).toBe(31_800);
  expect(warn.mock.calls.flat()).toEqual([
    'tidegate: model: "my-model": It has no price: add it with createPrices({ prices }), or do not ask it.',
  ]);
});

test("a table is checked whole, wherever it is wrong", () => {
  const table = {
    date: "yesterday",
    models: {
      a: { input: -1, output: "2", cahced: 1 },
      b: { input: 1, output: 1, above: { tokens: 5 }, tiers: { flex: NaN } },
      c: null,
      d: { input: 1, output: 1, later: { from: "soon" } },
    },
  } as unknown as PriceTable;
  const fault = (() => {
    try {
      createPrices({ prices: table, onUnknown: "maybe" as never });
    } catch (error) {
      return error as { faults: { path: string }[] };
    }
    return undefined;
  })();
  expect(fault!.faults.map(({ path }) => path)).toEqual([
    "prices.date",
    'prices.models["a"].cahced',
    'prices.models["a"].input',
    'prices.models["a"].output',
    'prices.models["b"].above.input',
    'prices.models["b"].above.output',
    'prices.models["b"].tiers.flex',
    'prices.models["c"]',
    'prices.models["d"].later.from',
    'prices.models["d"].later.factor',
    "onUnknown",
  ]);
  expect(() => createPrices({ prices: 5 as never })).toThrow("prices");
});

test("the table of list prices is JSON, and a part of another one", () => {
  const read = JSON.parse(JSON.stringify(PRICES)) as PriceTable;
  expect(read).toEqual(PRICES);
  const own = { ...read, models: { ...read.models, mine: { input: 0.5, output: 2 } } };
  expect(createPrices({ prices: own }).price("mine")({ inputTokens: 2, outputTokens: 3 })).toBe(7);
});

describe("an estimate in money counts the dearest that a request can be", () => {
  const messages = [{ role: "user", content: "High tide. ".repeat(400) }];
  test("by the answer's largest length, the tier and the searches", () => {
    const body = { messages, max_tokens: 100, service_tier: "priority" };
    const plain = estimate("gpt-5", { messages, max_tokens: 100 });
    expect(plain).toBeGreaterThanOrEqual(1_000 * 1.25 + 100 * 10);
    expect(estimate("gpt-5", body)).toBeGreaterThanOrEqual(plain * 1.9);
    const tools = [{ type: "web_search_20250305", name: "web_search", max_uses: 3 }];
    const searching = estimate("claude-opus-5", { messages, max_tokens: 100, tools });
    expect(searching).toBeGreaterThan(30_000);
  });

  test.for([
    ["gpt-5", { tools: [{ type: "web_search" }] }, 100_000],
    ["gpt-5", { tools: [{ type: "file_search", vector_store_ids: [] }] }, 100_000],
    ["gpt-5", { tools: [{ type: "code_interpreter", container: { type: "auto" } }] }, 30_000],
    ["gpt-4o", { web_search_options: {} }, 25_000],
    ["gemini-2.5-flash", { tools: [{ googleSearch: {} }] }, 350_000],
    ["gemini-2.5-flash", { tools: [{ google_search: {} }, { googleMaps: {} }] }, 700_000],
    ["gemini-2.5-flash", { tools: [{ type: "google_search" }] }, 350_000],
    ["claude-opus-5", { tools: [{ type: "web_search_20250305", max_uses: 2 }] }, 20_000],
    ["claude-opus-5", { tools: [{ type: "tool_search_tool_regex_20251119" }] }, 0],
    ["gpt-5", { tools: [{ type: "function", name: "search" }] }, 0],
  ] as const)("by the tools of the provider: %s, %o", ([model, asked, fees]) => {
    const plain = estimate(model, { messages, max_tokens: 100 });
    const more = estimate(model, { messages, max_tokens: 100, ...asked }) - plain;
    expect(more).toBeGreaterThanOrEqual(fees);
    // A search of Anthropic's brings instructions of 600 tokens along.
    expect(more).toBeLessThan(fees + 4_000);
  });

  test("by what the provider keeps, and an answer without a maximum", () => {
    const body = { previous_response_id: "resp_1", input: "And then?" };
    const plain = estimate("gpt-5", body);
    const kept = estimate("gpt-5", body, { keptTokens: 80_000, outputTokens: 3_000 });
    // 80,000 x 1.25 and 2,000 x 10.
    expect(kept - plain).toBe(120_000);
  });

  test("by what it writes to a cache", () => {
    const text = { type: "text", text: "x".repeat(4_000) };
    const plain = estimate("claude-opus-5", { max_tokens: 1, system: [text] });
    const marked = (ttl?: string) =>
      estimate("claude-opus-5", {
        max_tokens: 1,
        system: [{ ...text, cache_control: { type: "ephemeral", ...(ttl && { ttl }) } }],
      });
    expect(marked() / plain).toBeGreaterThan(1.25);
    expect(marked("1h") / plain).toBeGreaterThan(2);
  });
});

test("more of anything never costs less", () => {
  const names = Object.keys(PRICES.models).filter((name) => PRICES.models[name]!.search);
  const tokens = fc.nat(400_000);
  fc.assert(
    fc.property(
      fc.constantFrom(...names),
      tokens,
      tokens,
      fc.nat(5),
      tokens,
      tokens,
      (name, inputTokens, outputTokens, searches, more, cached) => {
        const told = { inputTokens, outputTokens, searches };
        const cost = price(name)(told);
        expect(price(name)({ ...told, outputTokens: outputTokens + more })).toBeGreaterThanOrEqual(
          cost,
        );
        expect(price(name)({ ...told, inputTokens: inputTokens + more })).toBeGreaterThanOrEqual(
          cost,
        );
        expect(price(name)({ ...told, cachedTokens: cached })).toBeLessThanOrEqual(cost);
        const dearer = PRICES.models[name]!.cacheWriteHour ?? PRICES.models[name]!.input;
        expect(cost).toBeLessThanOrEqual(
          Math.ceil(5 * dearer * inputTokens + 5 * PRICES.models[name]!.output * outputTokens) +
            searches * 35_000 +
            1,
        );
      },
    ),
    { numRuns: runs(2_000) },
  );
});

test("a hold is settled at the price of the model that answered, and kept where that has none", async () => {
  vi.spyOn(console, "warn").mockImplementation(() => {});
  const limiter = createLimiter({
    store: memoryStore(),
    policies: [
      fixedWindow({ name: "money", limit: 1_000_000, window: "1d", refundable: refundable() }),
    ],
  });
  const body = { messages: [{ role: "user", content: "Hello" }], max_completion_tokens: 1_000 };
  async function spent(model: string): Promise<number> {
    const who = crypto.randomUUID();
    const hold = await limiter.reserve(who, { cost: estimate("gpt-5-mini", body) });
    const told = { model, usage: { prompt_tokens: 12, completion_tokens: 30, total_tokens: 42 } };
    const ended: Promise<unknown>[] = [];
    const response = hold.stream(Response.json(told), {
      usage,
      cost: price("gpt-5-mini"),
      waitUntil: (promise) => void ended.push(promise),
    });
    await response.text();
    await Promise.all(ended);
    return 1_000_000 - (await limiter.peek(who)).policies[0]!.remaining;
  }
  // 12 x 0.25 + 30 x 2.
  expect(await spent("gpt-5-mini-2025-08-07")).toBe(63);
  // 12 x 5 + 30 x 30: what answered was dearer.
  expect(await spent("gpt-5.5")).toBe(960);
  expect(await spent("free-model")).toBe(estimate("gpt-5-mini", body));
});
