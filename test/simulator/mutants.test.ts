import { beforeEach, expect, test, vi } from "vitest";

import type { Breaker } from "../../src/limiter/breaker.ts";
import type { DenialCache, KnownDenial } from "../../src/limiter/denial-cache.ts";
import { guardStore } from "../../src/limiter/guarded-store.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import type { Algorithm } from "../../src/policy/policy.ts";
import { MODELS } from "../../src/store/memory-store.ts";
import { redisStore } from "../../src/store/redis-store.ts";
import type { Row } from "../../src/store/store.ts";
import { assemble } from "./isolate.ts";
import { run } from "./run.ts";
import { drawScenario } from "./scenario/scenario.ts";

/*
 * A simulator that never finds anything proves nothing. Each mutant is the product with one mistake of a kind that has
 * been made elsewhere, and the simulator must find it soon, and for what it is.
 */

type Assemble = typeof assemble;

const mutation = vi.hoisted(() => ({
  denialCache: (cache: DenialCache): DenialCache => cache,
  breaker: (breaker: Breaker): Breaker => breaker,
}));
vi.mock(import("../../src/limiter/denial-cache.ts"), async (original) => {
  const { createDenialCache } = await original();
  return {
    createDenialCache: (maxEntries) => mutation.denialCache(createDenialCache(maxEntries)),
  };
});
vi.mock(import("../../src/limiter/breaker.ts"), async (original) => {
  const { createBreaker } = await original();
  return { createBreaker: () => mutation.breaker(createBreaker()) };
});
beforeEach(() => {
  mutation.denialCache = (cache) => cache;
  mutation.breaker = (breaker) => breaker;
});

/** What the denial cache takes off a wait, as a share, because its clock may run faster than the server's. */
const MARGIN = 5e-4;

/** Within how many seeds a mistake must show. */
const SEEDS = 300;

/** In microseconds. */
function longestWait(rows: readonly Row[]): number {
  return Math.max(...rows.map(({ retryAfter }) => retryAfter));
}

async function firstViolation(mutant: Assemble = assemble): Promise<string | undefined> {
  for (let seed = 1; seed <= SEEDS; seed++) {
    const violation = await run(drawScenario(seed), { assemble: mutant });
    if (violation) return violation.message;
  }
  return undefined;
}

/** A limiter whose client makes something else of an error. */
function onError(recover: (error: Error, again: () => Promise<unknown>) => unknown): Assemble {
  const change = (send: () => Promise<unknown>) => send().catch((error) => recover(error, send));
  return (parts) => {
    const { evalsha, eval: evaluate } = parts.client;
    const client = {
      evalsha: (...command: Parameters<typeof evalsha>) => change(() => evalsha(...command)),
      eval: (...command: Parameters<typeof evaluate>) => change(() => evaluate(...command)),
    };
    return assemble({ ...parts, client });
  };
}

test("nothing is found where there is no mistake", async () => {
  expect(await firstViolation()).toBeUndefined();
});

test.for<[mistake: string, found: RegExp, mutant: Assemble]>([
  [
    "asking again after a lost reply",
    /^single-execution: (limit|charge)\(\) ran 2 times/,
    onError((error, again) => {
      if (error instanceof TypeError) return again();
      throw error;
    }),
  ],
  [
    "taking a missing script for a failure",
    /^reasons: store-unavailable/,
    onError((error) => {
      throw error.message.startsWith("NOSCRIPT") ? new Error("ERR no script") : error;
    }),
  ],
  [
    "waiting for as long as it takes",
    /^budget: no answer/,
    (parts) => assemble({ ...parts, budget: 1e9 }),
  ],
  [
    "guarding each request alone",
    /^(probes|reports): /,
    ({ client, settings, budget, onStoreError }) => {
      const guard = () =>
        guardStore(redisStore(client), { budget, now: settings.now, onStoreError });
      return buildLimiter(
        {
          decide: (...request) => guard().decide(...request),
          reset: (keys) => guard().reset(keys),
        },
        settings,
      );
    },
  ],
  [
    "letting everything pass in an outage",
    /^fallback: /,
    ({ settings, ...parts }) => {
      const policies = settings.policies.map((policy) => ({ ...policy, onFailure: undefined }));
      return assemble({ ...parts, settings: { ...settings, policies, onFailure: "open" } });
    },
  ],
])("%s is found", async ([, found, mutant]) => {
  expect(await firstViolation(mutant)).toMatch(found);
});

test("asking a store in an outage with every request is found", async () => {
  mutation.breaker = (breaker) => ({ ...breaker, admits: () => true });
  expect(await firstViolation()).toMatch(/^probes: the store was asked twice/);
});

test("never asking it again is found", async () => {
  mutation.breaker = (breaker) => ({
    ...breaker,
    admits: (now) => breaker.admits(Math.min(now, 1)),
  });
  expect(await firstViolation()).toMatch(/^probes: the store was not asked/);
});

test("counting a wait from the moment the reply came is found", async () => {
  let now = () => 0;
  mutation.denialCache = (cache) => ({
    ...cache,
    learn: (partition, cost, _sentAt, rows) => cache.learn(partition, cost, now(), rows),
  });
  const mutant: Assemble = (parts) => {
    ({ now } = parts.settings);
    return assemble(parts);
  };
  expect(await firstViolation(mutant)).toMatch(/^true-denials: /);
});

test("taking the denial of a cost for one of every cost is found", async () => {
  mutation.denialCache = (cache) => ({
    ...cache,
    learn: (partition, _cost, sentAt, rows) => cache.learn(partition, 0, sentAt, rows),
  });
  expect(await firstViolation()).toMatch(/^true-denials: /);
});

test("trusting that all clocks run alike is found", async () => {
  mutation.denialCache = (cache) => {
    const margins = new Map<string, number>();
    return {
      ...cache,
      learn(partition, cost, sentAt, rows) {
        margins.set(partition, (longestWait(rows) / 1000) * MARGIN);
        cache.learn(partition, cost, sentAt, rows);
      },
      find: (partition, cost, now) =>
        cache.find(partition, cost, now - (margins.get(partition) ?? 0)),
    };
  };
  expect(await firstViolation()).toMatch(/^true-denials: the server would have admitted it/);
});

test("trusting a denial for longer than a minute is found", async () => {
  mutation.denialCache = (cache) => {
    const lasting = new Map<string, KnownDenial>();
    return {
      learn(partition, cost, sentAt, rows) {
        cache.learn(partition, cost, sentAt, rows);
        const denial = cache.find(partition, cost, sentAt);
        if (denial) {
          const until = sentAt + (longestWait(rows) / 1000) * (1 - MARGIN);
          lasting.set(partition, { ...denial, until });
        }
      },
      find(partition, cost, now) {
        const denial = lasting.get(partition);
        return denial && cost >= denial.cost && now < denial.until ? denial : undefined;
      },
      forget(partition, now) {
        lasting.delete(partition);
        cache.forget(partition, now);
      },
    };
  };
  expect(await firstViolation()).toMatch(/^true-denials: denied without/);
});

test("keeping over a reset what was known before is found", async () => {
  mutation.denialCache = (cache) => ({ ...cache, forget: () => {} });
  expect(await firstViolation()).toMatch(/^true-denials: /);
});

test.for(Object.keys(MODELS) as Algorithm[])(
  "a %s that admits a unit too many is found",
  async (algorithm) => {
    const model = MODELS[algorithm];
    const generous = vi
      .spyOn(MODELS, algorithm)
      .mockImplementation((state, request) =>
        model(state, { ...request, limit: request.limit + 1 }),
      );
    try {
      expect(await firstViolation()).toMatch(/^(admissions|waits|fallback): /);
    } finally {
      generous.mockRestore();
    }
  },
);
