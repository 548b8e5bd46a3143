import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { memoryStore } from "../../src/index.ts";
import { type Limits, startFakeProvider } from "../support/llm/fake-provider.ts";
import { random } from "../support/random.ts";
import { pacedTarget, pacingWorker } from "./pacing-workers.ts";

beforeEach(
  () => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date", "performance"] }),
);
afterEach(() => void vi.useRealTimers());

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** Fifty workers that always have another request, for so many seconds. */
async function fiftyWorkers(
  plan: readonly Limits[],
  seconds: number,
  tokensOf: (draw: () => number) => number,
) {
  const provider = startFakeProvider(plan);
  const store = memoryStore();
  const draw = random(7);
  vi.spyOn(Math, "random").mockImplementation(draw);
  const endMs = Date.now() + seconds * 1000;
  const order = [pacedTarget("openai/tides", plan[0]!.requests, plan[0]!.tokens)];
  async function work(): Promise<void> {
    const pacer = pacingWorker(store, order);
    while (Date.now() < endMs) {
      const tokens = tokensOf(draw);
      const sent = await pacer.send({ inputTokens: tokens, outputTokens: 500 }, async () => {
        await pause(20 + draw() * 200);
        return provider.ask(tokens);
      });
      if (!sent.response) continue;
      await pause(draw() * 1_500);
      await sent.hold.settle(sent.cost({ inputTokens: tokens, outputTokens: 0 }));
    }
  }
  const workers = Promise.all(Array.from({ length: 50 }, work));
  for (let s = 0; s < seconds + 120; s++) await vi.advanceTimersByTimeAsync(1_000);
  await workers;
  return provider;
}

const QUARTER_OF_AN_HOUR = 900;

test("fifty workers stay below 1 % of 429s at 95 % of a quota of requests that changes", async () => {
  const plan = [
    { fromS: 0, requests: 600, tokens: 10_000_000 },
    { fromS: 300, requests: 200, tokens: 10_000_000 },
    { fromS: 600, requests: 1_200, tokens: 10_000_000 },
  ];
  const { counts, quota } = await fiftyWorkers(plan, QUARTER_OF_AN_HOUR, () => 100);
  const use = (counts.asked - counts.refused) / quota("requests", QUARTER_OF_AN_HOUR);
  expect(counts.refused / counts.asked).toBeLessThan(0.01);
  expect(use).toBeGreaterThan(0.95);
});

test("fifty workers stay below 1 % of 429s at 95 % of a quota of tokens that changes", async () => {
  const plan = [
    { fromS: 0, requests: 10_000, tokens: 400_000 },
    { fromS: 300, requests: 10_000, tokens: 150_000 },
    { fromS: 600, requests: 10_000, tokens: 900_000 },
  ];
  const tokens = (draw: () => number) => 100 + Math.floor(draw() * 1_500);
  const { counts, quota } = await fiftyWorkers(plan, QUARTER_OF_AN_HOUR, tokens);
  const use = counts.tokens / quota("tokens", QUARTER_OF_AN_HOUR);
  expect(counts.refused / counts.asked).toBeLessThan(0.01);
  expect(use).toBeGreaterThan(0.95);
});
