import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { MAX_WAIT_MS } from "../../src/decide/known-denials.ts";
import { fixedWindow, memoryStore, type Store } from "../../src/index.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";

/* A request of two partitions, each with a known denial that has run out, for which another request is asking. */

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] });
});
afterEach(() => void vi.useRealTimers());

const pass = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A limiter, when each of its calls was sent, and how many milliseconds the next ones take. */
function slowLimiter() {
  const model = memoryStore();
  const sent: number[] = [];
  const trips: number[] = [];
  const store: Store = {
    async decide(...asked) {
      sent.push(performance.now());
      const reply = await model.decide(...asked);
      const trip = trips.shift();
      if (trip) await pass(trip);
      return reply;
    },
    reset: () => {},
  };
  const policies = ["ip", "key"].map((by) =>
    fixedWindow({ name: by, by, limit: 3, window: "10s" }),
  );
  return { limiter: builtLimiter(store, { policies }), sent, trips };
}

/** Uses the quota of both up, and lets the known denials run out; from here on calls are counted. */
async function runOut(...next: number[]) {
  const { limiter, sent, trips } = slowLimiter();
  for (const identity of [
    { ip: "a", key: "x" },
    { ip: "y", key: "k" },
  ]) {
    expect((await limiter.limit(identity, { cost: 3 })).reason).toBe("allowed");
    expect((await limiter.limit(identity)).reason).toBe("limited");
  }
  await vi.advanceTimersByTimeAsync(20_000);
  sent.length = 0;
  trips.push(...next);
  return { limiter, sent, startMs: performance.now() };
}

test.each([
  [20, 60],
  [60, 20],
])(
  "it waits for both, which take %d and %d ms, and then asks by itself",
  async (ofAddress, ofKey) => {
    const { limiter, sent, startMs } = await runOut(ofAddress, ofKey);
    const asking = [
      limiter.limit({ ip: "a", key: "z" }),
      limiter.limit({ ip: "z", key: "k" }),
      limiter.limit({ ip: "a", key: "k" }),
    ];
    await vi.advanceTimersByTimeAsync(1_000);
    expect(sent.map((ms) => ms - startMs)).toEqual([0, 0, 60]);
    const decisions = await Promise.all(asking);
    expect(decisions.map(({ reason }) => reason)).toEqual(Array(3).fill("allowed"));
  },
);

test("it is denied by the first of the answers that leaves nothing, without a call", async () => {
  const { limiter, sent } = await runOut(20, 60);
  void limiter.limit({ ip: "a", key: "z" }, { cost: 3 });
  void limiter.limit({ ip: "z", key: "k" });
  const both = limiter.limit({ ip: "a", key: "k" }, { cost: 3 });
  await vi.advanceTimersByTimeAsync(20);
  expect((await both).reason).toBe("cached-denial");
  expect(sent).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(1_000);
});

test("it waits no longer than its patience for both together", async () => {
  const { limiter, sent, startMs } = await runOut(100, 200);
  void limiter.limit({ ip: "a", key: "z" });
  void limiter.limit({ ip: "z", key: "k" });
  void limiter.limit({ ip: "a", key: "k" });
  await vi.advanceTimersByTimeAsync(1_000);
  expect(sent.map((ms) => ms - startMs)).toEqual([0, 0, MAX_WAIT_MS]);
});
