import { expect, test } from "vitest";

import type { Operation } from "../../src/algorithms/model.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import {
  fixedWindow,
  memoryStore,
  type Policy,
  type Store,
  tokenBucket,
} from "../support/limiter/plain.ts";

/*
 * Requests that a known denial answers never look for units that are leased. They are demand all the same, of the dimension
 * that denies them.
 */

/** Milliseconds, at the start of a second. */
const START = 4_000_000_000_000;

function world(policies: Policy[]) {
  const scene = { clock: START, asked: [] as [Operation, units: number, names: string][] };
  const model = memoryStore({ now: () => scene.clock * 1000 });
  const store: Store = {
    decide(...request) {
      const [operation, , costs, about] = request;
      scene.asked.push([operation, costs[0]!, about.map(({ name }) => name).join()]);
      return model.decide(...request);
    },
    reset: (keys) => model.reset(keys),
  };
  const limiter = builtLimiter(store, { policies }, { now: () => scene.clock });
  return Object.assign(scene, { limiter });
}

const everyone = fixedWindow({
  name: "everyone",
  by: "*",
  limit: 500,
  window: "1s",
  lease: "100ms",
});

test("a window that begins after known denials is leased from its first request on", async () => {
  const scene = world([everyone]);
  const seconds: (typeof scene.asked)[] = [];
  for (let second = 0; second < 4; second++) {
    scene.asked = [];
    for (let request = 0; request < 1_000; request++) {
      await scene.limiter.limit({});
      scene.clock++;
    }
    seconds.push(scene.asked);
  }
  for (const asked of seconds.slice(1)) {
    expect(asked[0]).toEqual(["lease", 50, "everyone"]);
    // Ten for its 500 units, of which a lease leaves some to other isolates, and the denial.
    expect(asked.length).toBeLessThanOrEqual(14);
  }
});

test("a request that another dimension denies is no demand of one that is leased", async () => {
  const address = tokenBucket({ name: "address", by: "ip", limit: 10, refill: 1, per: "1h" });
  const scene = world([everyone, address]);
  const denied = new Set<string>();
  for (let request = 0; request < 2_000; request++) {
    // Of twenty requests, nineteen come from one client. The others are too few for a lease.
    const quiet = request % 20 === 0;
    const { reason } = await scene.limiter.limit({ ip: quiet ? `ip-${request}` : "greedy" });
    if (request >= 1_000 && !quiet) denied.add(reason);
    if (request === 1_000) scene.asked = [];
    scene.clock++;
  }
  expect([...denied]).toEqual(["cached-denial"]);
  expect(scene.asked.filter(([operation]) => operation === "lease")).toEqual([]);
});
