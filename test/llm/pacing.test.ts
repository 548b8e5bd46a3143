import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createLimiter, memoryStore } from "../../src/index.ts";
import {
  createPacer,
  type NoRoom,
  type PacedResponse,
  type PacedTarget,
} from "../../src/pacing.ts";
import { pacedTarget as target, pacingWorker as workerOf } from "./pacing-workers.ts";

beforeEach(
  () =>
    void vi.useFakeTimers({
      // The beginning of all windows: waits depend on what is left of them.
      now: Date.parse("2026-11-05T00:00:00Z"),
      toFake: ["setTimeout", "clearTimeout", "Date", "performance"],
    }),
);
afterEach(() => void vi.useRealTimers());

const REQUEST = { inputTokens: 100, outputTokens: 100 };

const refusal = (headers: Record<string, string> = {}) =>
  new Response("{}", { status: 429, headers });

/** What was sent; fails where no target had room. */
async function sentOf<Target extends PacedTarget>(
  result: Promise<PacedResponse<Target> | NoRoom>,
): Promise<PacedResponse<Target>> {
  const sent = await result;
  if (!sent.response) throw new Error(`no room for ${sent.retryAfterMs} ms`);
  return sent;
}

/** Runs a promise to its end, in virtual time; tells the milliseconds that it took. */
async function timed<T>(promise: Promise<T>): Promise<readonly [T, number]> {
  const startMs = Date.now();
  const state = { endMs: -1 };
  void promise.then(() => (state.endMs = Date.now()));
  while (state.endMs < 0) await vi.advanceTimersByTimeAsync(10);
  return [await promise, state.endMs - startMs];
}

test("a request waits for room, and gets none if that takes too long", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  // 57 a minute, of which nine may come in ten seconds.
  const pacer = workerOf(memoryStore(), [target("a", 60, 100_000)]);
  const send = () => pacer.send(REQUEST, async () => new Response("{}"));
  for (let sent = 0; sent < 9; sent++) await send();
  const [sent, waitedMs] = await timed(send());
  expect(sent.response?.status).toBe(200);
  expect(waitedMs).toBeGreaterThan(1_000);
  expect(waitedMs).toBeLessThan(12_000);
  const hasty = workerOf(memoryStore(), [target("a", 60, 1_000)], { maxWait: "1s" });
  const large = { inputTokens: 900, outputTokens: 50 };
  await sentOf(hasty.send(large, async () => new Response("{}")));
  const ask = vi.fn(async () => new Response("{}"));
  // 970 tokens a minute, of which 950 are taken in this window: 30 of them weigh too much until half of the next one has passed.
  const none = await hasty.send(large, ask);
  expect(none.response).toBeUndefined();
  expect(ask).not.toHaveBeenCalled();
  const { retryAfterMs } = none as NoRoom;
  await vi.advanceTimersByTimeAsync(Math.ceil(retryAfterMs) - 2_000);
  expect((await hasty.send(large, ask)).response).toBeUndefined();
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await hasty.send(large, ask)).response).toBeDefined();
});

test("the shortest wait of all targets is told: one pauses for an hour, the other has no room until its day ends", async () => {
  const limits = { requestsPerDay: 1 };
  const order = [target("a", 6_000, 1_000_000), { name: "b", limits }];
  const pacer = workerOf(memoryStore(), order, { maxWait: "1ms" });
  const ask = async ({ name }: PacedTarget) =>
    name === "a" ? refusal({ "retry-after": "3600" }) : new Response("{}");
  expect((await pacer.send(REQUEST, ask)).response?.status).toBe(200);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await pacer.send(REQUEST, ask)).toEqual({ retryAfterMs: 3_000_000 });
});

test("an estimate above a whole limit waits until all of it is free, and is sent", async () => {
  const pacer = workerOf(memoryStore(), [target("a", 6_000, 1_000)], { maxWait: "1ms" });
  const huge = { inputTokens: 5_000, outputTokens: 10 };
  const ask = async () => new Response("{}");
  expect((await pacer.send(huge, ask)).response?.status).toBe(200);
  expect((await pacer.send({ inputTokens: 1, outputTokens: 0 }, ask)).response).toBeUndefined();
});

test.for([
  // 97 % of them are 0.97, 2.91, 6.79, 9.7, 29.1 and 97.
  [1, 1],
  [3, 3],
  [7, 7],
  [10, 10],
  [30, 29],
  [100, 97],
] as const)("of %i requests a day, %i are sent", async ([limit, sent]) => {
  const order = [{ name: "a", limits: { requestsPerDay: limit } }];
  const pacer = workerOf(memoryStore(), order, { maxWait: "1ms" });
  let admitted = 0;
  while ((await pacer.send(REQUEST, async () => new Response("{}"))).response) admitted++;
  expect(admitted).toBe(sent);
});

test("a small part of a great limit is rounded up, so that no more than the limit fits", async () => {
  const order = [{ name: "a", limits: { tokensPerDay: 700_000_000 } }];
  const pacer = workerOf(memoryStore(), order, { share: 1 });
  const one = { inputTokens: 1, outputTokens: 0 };
  const { hold } = await sentOf(pacer.send(one, async () => new Response("{}")));
  // 1.43 parts.
  expect(hold.policies[0]!.remaining).toBe(1_000_000_000 - 2);
});

test("a target that is used up, or refuses, is followed by the next one of the order", async () => {
  const order = [target("a", 60, 1_000), target("b", 60, 100_000)];
  const pacer = workerOf(memoryStore(), order);
  const asked: string[] = [];
  const send = (tokens: number, answer: (name: string) => Response) =>
    sentOf(
      pacer.send({ inputTokens: tokens, outputTokens: 0 }, async ({ name }) => {
        asked.push(name);
        return answer(name);
      }),
    );
  await send(900, () => new Response("{}"));
  const second = await send(900, () => new Response("{}"));
  expect([asked, second.target.name]).toEqual([["a", "b"], "b"]);
  // "a" refuses for a minute; its units come back, and "b" answers.
  asked.length = 0;
  const third = await send(10, (name) =>
    name === "a" ? refusal({ "retry-after": "60" }) : new Response("{}"),
  );
  await send(10, () => new Response("{}"));
  expect([asked, third.target.name]).toEqual([["a", "b", "b"], "b"]);
});

test("where all refuse, the last refusal is the answer once waiting takes too long", async () => {
  const pacer = workerOf(memoryStore(), [target("a", 60, 1_000)], { maxWait: "5s" });
  const ask = vi.fn(async () => refusal({ "retry-after": "3" }));
  const [sent] = await timed(pacer.send(REQUEST, ask));
  expect([sent.response?.status, ask.mock.calls.length]).toEqual([429, 2]);
});

test("a provider that refuses again and again and asks for no wait is asked ever more rarely", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const pacer = workerOf(memoryStore(), [target("a", 6_000, 1_000_000)], { maxWait: "10s" });
  let refusals = 0;
  const ask = async () => {
    // Without pauses this would never end.
    if (++refusals > 100) throw new Error("asked a hundred times");
    return refusal({ "retry-after": "0" });
  };
  const [sent, tookMs] = await timed(pacer.send(REQUEST, ask));
  // After 50, 100, 200, 400 and 800 ms, and then each second.
  expect([sent.response?.status, refusals]).toEqual([429, 14]);
  expect(tookMs).toBeLessThan(10_000);
});

test("a limit of a day is kept beside those of a minute, and learned from the provider", async () => {
  const store = memoryStore();
  const limits = { requests: 6_000, requestsPerDay: 100 };
  const order = [{ name: "a", limits }, target("b", 6_000, 1_000_000)];
  const pacer = workerOf(store, order, { share: 1 });
  const names: string[] = [];
  const day = {
    "x-ratelimit-limit-requests": "12",
    "x-ratelimit-remaining-requests": "11",
    "x-ratelimit-reset-requests": "2h0m0s",
  };
  for (let sent = 0; sent < 14; sent++) {
    const headers = sent === 0 ? day : undefined;
    const { target: taken } = await sentOf(
      pacer.send(REQUEST, async () => new Response("{}", { ...(headers && { headers }) })),
    );
    names.push(taken.name);
    await vi.advanceTimersByTimeAsync(60_000);
  }
  // The first took a hundredth of the limit that it did not know; of the rest, each takes a twelfth.
  expect(names.filter((name) => name === "a")).toHaveLength(12);
  expect(names.slice(-2)).toEqual(["b", "b"]);
});

const ofGoogle = (quotaId: string, retryDelay: string) =>
  Response.json(
    {
      error: {
        code: 429,
        status: "RESOURCE_EXHAUSTED",
        details: [
          {
            "@type": "type.googleapis.com/google.rpc.QuotaFailure",
            violations: [{ quotaMetric: "requests", quotaId, quotaValue: "250" }],
          },
          { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay },
        ],
      },
    },
    { status: 429 },
  );

test.for([
  [
    "Google's minute",
    () => ofGoogle("GenerateRequestsPerMinutePerProjectPerModel-FreeTier", "34.07s"),
    34_070,
  ],
  [
    "Google's day, whatever it asks to wait",
    () => ofGoogle("GenerateRequestsPerDayPerProjectPerModel-FreeTier", "18s"),
    3_600_000,
  ],
  [
    "an account without money",
    () => Response.json({ error: { code: "insufficient_quota" } }, { status: 429 }),
    3_600_000,
  ],
  ["no JSON", () => new Response("slow down", { status: 429 }), 1_000],
  [
    "a body that never ends",
    () =>
      new Response(new ReadableStream(), {
        status: 429,
        headers: { "content-type": "application/json" },
      }),
    1_000,
  ],
] as const)(
  "a refusal by %s pauses the target as long as its body says",
  async ([, refused, ms]) => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    const order = [target("a", 6_000, 1_000_000), target("b", 6_000, 1_000_000)];
    const pacer = workerOf(memoryStore(), order);
    const send = () =>
      timed(
        sentOf(
          pacer.send(REQUEST, async ({ name }) => (name === "a" ? refused() : new Response("{}"))),
        ),
      );
    const startMs = Date.now();
    expect((await send())[0].target.name).toBe("b");
    const asked = async () => {
      const [sent] = await timed(sentOf(pacer.send(REQUEST, async () => new Response("{}"))));
      return sent.target.name;
    };
    await vi.advanceTimersByTimeAsync(Math.max(0, startMs + ms - 500 - Date.now()));
    expect(await asked()).toBe("b");
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await asked()).toBe("a");
  },
);

test("the limit that Google's refusal names is learned, and its body is left to the caller", async () => {
  const store = memoryStore();
  const pacer = workerOf(store, [target("a", 6_000, 1_000_000)], { maxWait: "1ms", share: 1 });
  const sent = await sentOf(
    pacer.send(REQUEST, async () => ofGoogle("GenerateRequestsPerMinutePerProjectPerModel", "5s")),
  );
  expect(await sent.response.json()).toMatchObject({ error: { code: 429 } });
  await vi.advanceTimersByTimeAsync(6_000);
  const next = await sentOf(pacer.send(REQUEST, async () => new Response("{}")));
  // One of 250 a minute, which are 41.7 in ten seconds.
  expect(next.hold.policies[0]!.remaining).toBe(1_000_000_000 - 24_000_000);
});

test("a refusal has other workers wait, too: their shared counts have no more than the provider", async () => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  const store = memoryStore();
  const order = [target("a", 60, 10_000)];
  const [one, other] = [
    workerOf(store, order, { maxWait: "1ms" }),
    workerOf(store, order, { maxWait: "5m" }),
  ];
  const used = {
    "x-ratelimit-limit-tokens": "10000",
    "x-ratelimit-remaining-tokens": "0",
    "x-ratelimit-reset-tokens": "1m0s",
    "retry-after-ms": "200",
  };
  await one.send(REQUEST, async () => refusal(used));
  // All of a minute are used up, and come back in the next one.
  const sent = await timed(other.send(REQUEST, async () => new Response("{}")));
  expect(sent[0].response).toBeDefined();
  expect(sent[1]).toBeGreaterThan(1_000);
});

test("a request in the background leaves a part of the limit to others", async () => {
  const pacer = workerOf(memoryStore(), [target("a", 60, 100_000)], { maxWait: "1ms" });
  const send = (priority: "background" | "foreground") =>
    pacer.send({ ...REQUEST, priority }, async () => new Response("{}"));
  const admitted = { background: 0, foreground: 0 };
  for (const priority of ["background", "foreground"] as const) {
    while ((await send(priority)).response) admitted[priority]++;
  }
  // Of nine at once, a fifth stays for the foreground.
  expect(admitted).toEqual({ background: 7, foreground: 2 });
});

test("what a response took replaces the estimate in the quota, tokens of input and answer apart", async () => {
  const store = memoryStore();
  const limits = { requests: 60, input: 1_000, output: 1_000 };
  const pacer = workerOf(store, [{ name: "a", limits }], { share: 1 });
  const sent = await sentOf(
    pacer.send({ inputTokens: 900, outputTokens: 800 }, async () => new Response("{}")),
  );
  await sent.hold.settle(sent.cost({ inputTokens: 300, outputTokens: 50 }));
  const again = await sentOf(
    pacer.send({ inputTokens: 700, outputTokens: 950 }, async () => new Response("{}")),
  );
  expect(again.hold.policies.map(({ name, remaining }) => [name, remaining])).toEqual([
    ["requests", 800_000_000],
    ["input", 0],
    ["output", 0],
  ]);
});

test("options that are wrong are named, all at once", () => {
  const options = {
    limiter: 5,
    order: [{ name: "a", limits: { requests: 0, token: 5 } }],
    share: 1.5,
    background: 0,
    maxWait: "5 weeks",
  };
  expect(() => createPacer(options as never)).toThrow(
    /limiter: 5[^]*order\[0\].limits.token[^]*order\[0\].limits.requests: 0[^]*share: 1.5[^]*background: 0[^]*maxWait/,
  );
  for (const order of [
    [],
    [{ name: "", limits: { requests: 1 } }],
    [{ name: "a", limits: {} }],
    5,
  ]) {
    const limiter = () => createLimiter({ store: memoryStore(), policies: [] });
    expect(() => createPacer({ limiter, order } as never)).toThrow(/order: /);
  }
});
