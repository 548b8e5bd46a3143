import { describe, expect, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  memoryStore,
  slidingWindowLog,
} from "../support/limiter/plain.ts";

const START_US = 1_800_000_000_000_000;

/** A limit of two requests a minute; three denials in ten minutes ban a client. */
function limited() {
  let nowUs = START_US;
  const limiter = createLimiter({
    store: memoryStore({ now: () => nowUs }),
    denialCache: false,
    policies: [
      slidingWindowLog({ name: "requests", limit: 2, window: "1m" }),
      fixedWindow({ name: "ban", counts: "denials", limit: 3, window: "10m" }),
    ],
  });
  return { limiter, pass: (ms: number) => void (nowUs += ms * 1000) };
}

describe("a denial that fills a ban", () => {
  test("tells the wait until the ban ends, and a client that obeys passes", async () => {
    const { limiter, pass } = limited();
    const waits: number[] = [];
    for (let request = 0; request < 5; request++) {
      const decision = await limiter.limit("ada");
      if (decision.allowed) continue;
      waits.push(decision.retryAfterMs);
      expect(decision.headers().get("Retry-After")).toBe(`${decision.retryAfterMs / 1000}`);
    }
    expect(waits).toEqual([60_000, 60_000, 600_000]);
    pass(599_999);
    const early = await limiter.limit("ada");
    expect([early.allowed, early.retryAfterMs]).toEqual([false, 1]);
    pass(1);
    expect((await limiter.limit("ada")).allowed).toBe(true);
  });

  test("is denied by the policy that has no room, not by the ban", async () => {
    const { limiter } = limited();
    for (let request = 0; request < 4; request++) await limiter.limit("ada");
    const { policies } = await limiter.limit("ada");
    expect(policies.map(({ name, allowed }) => [name, allowed])).toEqual([
      ["requests", false],
      ["ban", true],
    ]);
  });
});

test("an allowed request beside a ban says when its quota is whole again", async () => {
  const { limiter } = limited();
  const decision = await limiter.limit("ada");
  expect(decision.retryAfterMs).toBe(0);
  expect(decision.headers().has("Retry-After")).toBe(false);
  expect(decision.headers().get("RateLimit")).toBe('"requests";r=1;t=60, "ban";r=3;t=0');
});
