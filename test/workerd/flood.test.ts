import { expect, test } from "vitest";

import { createLimiter, fixedWindow, memoryStore } from "../../src/index.ts";

/** Two hundred times the cap of the cache. */
const IDENTITIES = 200_000;

test("a flood of two hundred thousand identities leaves no more than the cap, and the hottest denials stay", async () => {
  let asked = 0;
  const counts = memoryStore({ now: () => 1.8e15 });
  const limiter = createLimiter({
    policies: [fixedWindow({ limit: 1, window: "1d" })],
    store: {
      decide: (...question) => {
        asked++;
        return counts.decide(...question);
      },
      reset: () => {},
    },
    denialCache: { maxEntries: 1_000 },
  });
  await limiter.limit("hot");
  for (let identity = 0; identity < IDENTITIES; identity++) {
    await limiter.limit(`flood-${identity}`);
    // Asked for again before 1,000 others came by: it is in use, so it is not the one to go.
    if (identity % 900 === 0) expect((await limiter.limit("hot")).reason).toBe("cached-denial");
  }
  expect(asked).toBe(IDENTITIES + 1);

  // The last thousand are known, less the hot one; earlier ones are forgotten and asked for again.
  expect((await limiter.limit(`flood-${IDENTITIES - 1}`)).reason).toBe("cached-denial");
  expect((await limiter.limit(`flood-${IDENTITIES - 998}`)).reason).toBe("cached-denial");
  expect(asked).toBe(IDENTITIES + 1);
  await limiter.limit(`flood-${IDENTITIES - 1_000}`);
  expect(asked).toBe(IDENTITIES + 2);
});
