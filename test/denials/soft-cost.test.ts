import { expect, test } from "vitest";

import { limiterOver } from "../support/limiter/limiter-over.ts";
import { fixedWindow } from "../support/limiter/plain.ts";
import { watchedStore } from "../support/limiter/watched-store.ts";

test("a request that costs a soft policy alone leaves what is known of the others", async () => {
  const { store, world, asked } = watchedStore();
  const policies = [
    fixedWindow({ name: "hard", limit: 1, window: "1h" }),
    fixedWindow({ name: "soft", limit: 9, window: "1h", mode: "soft" }),
  ];
  const limiter = limiterOver(store, { policies }, { now: () => world.nowUs / 1000 });
  const reasons = [];
  for (const cost of [1, { hard: 0, soft: 1 }, 1]) {
    world.nowUs += 1_000_000;
    reasons.push((await limiter.limit("ada", { cost })).reason);
  }
  expect(reasons).toEqual(["allowed", "allowed", "cached-denial"]);
  expect(asked).toHaveLength(2);
});
