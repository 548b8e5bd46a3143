import { afterEach, expect, test, vi } from "vitest";

import { refundable } from "../../src/index.ts";
import { concurrency, createLimiter, fixedWindow, memoryStore } from "../../src/index.ts";
import { settleByUsage, type SettleOptions, type Settles } from "../../src/llm/settle-by-usage.ts";
import type { Usage } from "../../src/llm/usage.ts";
import { ANTHROPIC_STREAM, CHAT, CHAT_STREAM, type Shape } from "../support/llm/shapes.ts";

afterEach(() => vi.restoreAllMocks());

/** A hold that notes its calls; each call rejects with `failure`. */
function holdOf(failure?: Error, reserved: Settles["reserved"] = {}) {
  const calls: unknown[][] = [];
  const note = async (...call: unknown[]) => {
    calls.push(call);
    if (failure) throw failure;
  };
  return {
    calls,
    reserved,
    settle: (...costs: unknown[]) => note("settle", ...costs),
    release: () => note("release"),
  };
}

const responseOf = ({ body, type }: Pick<Shape, "body" | "type">, status = 200) =>
  new Response(body, { status, headers: { "Content-Type": type } });

/** The calls of a hold by the time `waitUntil`'s promise resolved, after the client had read everything. */
async function callsOf(
  given: Response,
  options: SettleOptions = {},
  hold: Settles & { readonly calls: unknown[][] } = holdOf(),
) {
  const waiting: Promise<unknown>[] = [];
  const read = settleByUsage(hold, given, {
    ...options,
    waitUntil: (promise) => void waiting.push(promise),
  });
  expect(waiting).toHaveLength(1);
  const text = await read.text();
  await waiting[0];
  return { calls: hold.calls, text };
}

test("a hold ends at the tokens in total, after the client got the same bytes", async () => {
  for (const shape of [CHAT, CHAT_STREAM, ANTHROPIC_STREAM]) {
    const { calls, text } = await callsOf(responseOf(shape));
    expect(calls).toEqual([["settle", shape.usage.totalTokens]]);
    expect(text).toBe(shape.body);
  }
});

test("a hold ends at the cost that is made of the usage", async () => {
  const cost: SettleOptions["cost"] = ({ totalTokens, cachedTokens = 0 }) => ({
    tokens: totalTokens - cachedTokens,
    requests: 1,
  });
  const { calls } = await callsOf(responseOf(CHAT), { cost });
  expect(calls).toEqual([["settle", { tokens: 1163 - 1024, requests: 1 }]]);
});

test("the tokens are those of the policies that give back, and of every policy only where none does", async () => {
  const hold = holdOf(undefined, { tokens: 4_000, shared: 4_000 });
  const { calls } = await callsOf(responseOf(CHAT), {}, hold);
  expect(calls).toEqual([["settle", { tokens: 1163, shared: 1163 }]]);
});

test("a hold keeps its reservation where only a part of the usage is told, or pays that part if it is more", async () => {
  const body = ANTHROPIC_STREAM.body.split("event: message_delta")[0]!;
  const given = () => responseOf({ body, type: ANTHROPIC_STREAM.type });
  const told = vi.fn(({ totalTokens }: Usage) => ({ tokens: totalTokens, calls: 1 }));
  const reserved = { tokens: 20, shared: 90_000, calls: 1 };
  const named = await callsOf(given(), { cost: told }, holdOf(undefined, reserved));
  const [{ totalTokens, complete }] = told.mock.calls[0]!;
  expect([totalTokens > 20, complete]).toEqual([true, false]);
  const own = await callsOf(given(), {}, holdOf(undefined, reserved));
  expect([named.calls, own.calls]).toEqual([
    [["settle", { tokens: totalTokens, shared: 90_000, calls: 1 }]],
    [["settle", { tokens: totalTokens, shared: 90_000, calls: totalTokens }]],
  ]);
});

test.for([
  [5, "more"],
  [90_000, "no less"],
] as const)(
  "of a policy that gives nothing back, a client that hangs up after %i reserved units pays %s",
  async ([reserved]) => {
    const tokens = fixedWindow({ name: "tokens", limit: 100_000, window: "1h" });
    // It gives back itself, so that the limiter has reserve().
    const streams = concurrency({ name: "streams", limit: 1 });
    const limiter = createLimiter({ store: memoryStore(), policies: [tokens, streams] });
    const hold = await limiter.reserve("ada", { cost: reserved });
    const body = ANTHROPIC_STREAM.body.split("event: message_delta")[0]!;
    const given = responseOf({ body, type: ANTHROPIC_STREAM.type });
    const ended: Promise<unknown>[] = [];
    await hold
      .stream(given, { usage: settleByUsage, waitUntil: (promise) => void ended.push(promise) })
      .text();
    await ended[0];
    const { policies } = await limiter.peek("ada");
    expect(policies[0]!.remaining).toBe(
      100_000 - Math.max(reserved, ANTHROPIC_STREAM.usage.inputTokens + 1),
    );
  },
);

test.each([
  ["names both", ({ totalTokens }: Usage) => ({ tokens: totalTokens, calls: totalTokens })],
  ["is a number", ({ totalTokens }: Usage) => totalTokens],
])(
  "of a usage that broke off, a cost that %s is charged beyond each reservation, refundable or not",
  async (_, cost) => {
    const quota = (name: string) => ({ name, limit: 100_000, window: "1h" }) as const;
    const limiter = createLimiter({
      store: memoryStore(),
      policies: [
        fixedWindow(quota("tokens")),
        fixedWindow(quota("calls")),
        fixedWindow({ ...quota("budget"), refundable: refundable() }),
      ],
    });
    const { inputTokens } = ANTHROPIC_STREAM.usage;
    const reserved = { tokens: 1, calls: inputTokens + 100, budget: 3 };
    const hold = await limiter.reserve("ada", { cost: reserved });
    expect([hold.taken, hold.reserved]).toEqual([reserved, { budget: 3 }]);
    const body = ANTHROPIC_STREAM.body.split("event: message_delta")[0]!;
    const given = responseOf({ body, type: ANTHROPIC_STREAM.type });
    await callsOf(given, { cost }, { ...hold, calls: [] });
    const { policies } = await limiter.peek("ada");
    const told = inputTokens + 1;
    const budget = typeof cost({ totalTokens: told } as Usage) === "number" ? told : 3;
    expect(policies.map(({ remaining }) => 100_000 - remaining)).toEqual([
      told,
      reserved.calls,
      budget,
    ]);
  },
);

test("a cost that is refused does not leave the hold open: it keeps its reservation", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const store = memoryStore();
  const policies = [
    fixedWindow({ name: "tokens", limit: 9_000, window: "1h", refundable: refundable() }),
    concurrency({ name: "streams", limit: 1 }),
  ];
  const limiter = createLimiter({ store, policies });
  for (const cost of [() => 0.5, () => ({ token: 1 }), () => NaN]) {
    const hold = await limiter.reserve("ada", { cost: { tokens: 1_000 } });
    expect(hold.allowed).toBe(true);
    await callsOf(responseOf(CHAT), { cost }, { ...hold, calls: [] });
  }
  const { policies: rows } = await limiter.peek("ada");
  expect(rows.map(({ remaining }) => remaining)).toEqual([6_000, 1]);
  expect(warn).toHaveBeenCalledTimes(3);
});

test("a cost beyond the greatest number is that number, and not the reservation", async () => {
  const usage = { prompt_tokens: 1e300, completion_tokens: 1, total_tokens: 1e300 };
  const body = JSON.stringify({ usage });
  for (const cost of [
    ({ totalTokens }: Usage) => totalTokens * 1000,
    ({ totalTokens }: Usage) => ({ tokens: totalTokens * 1000 }),
    () => Infinity,
  ]) {
    const hold = holdOf(undefined, { tokens: 4_000 });
    const { calls } = await callsOf(responseOf({ body, type: CHAT.type }), { cost }, hold);
    expect(calls).toEqual([["settle", { tokens: Number.MAX_SAFE_INTEGER }]]);
  }
});

test("a hold keeps its reservation where no usage is told", async () => {
  const type = ANTHROPIC_STREAM.type;
  for (const given of [
    responseOf({ body: "data: [DONE]\n\n", type }),
    new Response(CHAT.body),
    new Response(null, { status: 204 }),
  ]) {
    const cost = vi.fn(() => 1);
    expect((await callsOf(given, { cost })).calls).toEqual([["settle", undefined]]);
    expect(cost).not.toHaveBeenCalled();
  }
});

test("a hold ends when the client cancels, and when the source fails", async () => {
  const hold = holdOf();
  const waiting: Promise<unknown>[] = [];
  const waitUntil = (promise: Promise<unknown>) => void waiting.push(promise);
  await settleByUsage(hold, responseOf(CHAT), { waitUntil }).body!.cancel();
  await waiting[0];
  expect(hold.calls).toEqual([["settle", undefined]]);
  const failing = new ReadableStream({ pull: (controller) => controller.error(new Error("lost")) });
  const read = settleByUsage(hold, new Response(failing), { waitUntil });
  await expect(read.text()).rejects.toThrow("lost");
  await waiting[1];
  expect(hold.calls).toEqual([
    ["settle", undefined],
    ["settle", undefined],
  ]);
});

test("the isolate is kept until the hold has ended, not only until it was asked to", async () => {
  for (const status of [200, 500]) {
    let hasEnded = false;
    const end = async () => {
      await new Promise((resolve) => setTimeout(resolve));
      hasEnded = true;
    };
    const hold = { ...holdOf(), settle: end, release: end };
    await callsOf(responseOf(CHAT, status), {}, hold);
    expect(hasEnded).toBe(true);
  }
});

test("an error of the provider gives everything back, and is passed on as it is", async () => {
  for (const status of [400, 429, 503]) {
    const hold = holdOf();
    const given = responseOf(CHAT, status);
    expect(settleByUsage(hold, given)).toBe(given);
    expect(hold.calls).toEqual([["release"]]);
  }
  expect((await callsOf(responseOf(CHAT, 399))).calls).toEqual([["settle", 1163]]);
});

test("a hold that cannot be ended is logged, and breaks no response", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  for (const status of [200, 500]) {
    const hold = holdOf(new Error(`refused after ${status}`));
    expect((await callsOf(responseOf(CHAT, status), {}, hold)).text).toBe(CHAT.body);
  }
  expect(warn.mock.calls.flat()).toEqual([
    "tidegate: a hold could not be ended: Error: refused after 200",
    "tidegate: a hold could not be ended: Error: refused after 500",
  ]);
});

test("a cost that throws is logged, and the hold keeps its reservation", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  const cost = () => {
    throw new Error("no price");
  };
  expect((await callsOf(responseOf(CHAT), { cost })).calls).toEqual([["settle", undefined]]);
  expect(warn.mock.calls.flat()).toEqual([
    "tidegate: the cost of a usage failed, so the hold keeps its estimate: Error: no price",
  ]);
});

test("options that are wrong are named, all at once, before anything is done", async () => {
  const hold = holdOf();
  const given = responseOf(CHAT);
  const options = { cost: 5, waitUntil: {}, wait: () => {} } as never;
  expect(() => settleByUsage(hold, given, options)).toThrow(
    /wait: "\(a function\)"[^]*cost: 5: Give a function[^]*waitUntil: \{\}: Give a function/,
  );
  expect(hold.calls).toEqual([]);
  expect(await given.text()).toBe(CHAT.body);
});
