import { beforeEach, describe, expect, test, vi } from "vitest";

import { IMPLEMENTATIONS, MODELS } from "../../src/algorithms/all.ts";
import type { AnyModel, RefundRequest } from "../../src/algorithms/model.ts";
import type { DenialCache } from "../../src/decide/denial-cache.ts";
import type { LastAnswers } from "../../src/decide/last-answers.ts";
import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import type { CountingAlgorithm } from "../../src/policy/policy.ts";
import type { StoreBreaker } from "../../src/store/breaker.ts";
import { createSlotBreaker } from "../../src/store/cluster/slot-breaker.ts";
import { guardStore } from "../../src/store/guarded-store.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { withOwnErrors } from "../../src/store/redis/client-errors.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { firstViolation } from "./first-violation.ts";
import { assemble } from "./isolate.ts";

/*
 * A simulator that never finds anything proves nothing. Each mutant is the product with one mistake of a kind that has been made
 * elsewhere, and the simulator must find it soon, and name it rightly.
 */

type Assemble = typeof assemble;

const mutation = vi.hoisted(() => ({
  breaker: (breaker: StoreBreaker): StoreBreaker => breaker,
  answers: (answers: LastAnswers): LastAnswers => answers,
  refund: (request: RefundRequest): RefundRequest => request,
  denials: (cache: DenialCache): DenialCache => cache,
  clock: undefined as ((read: () => number) => () => number) | undefined,
}));
vi.mock(import("../../src/runtime/time.ts"), async (original) => {
  const { steadyClock, ...rest } = await original();
  return { ...rest, steadyClock: (read) => (mutation.clock ?? steadyClock)(read) };
});
vi.mock(import("../../src/decide/denial-cache.ts"), async (original) => {
  const { createDenialCache, ...rest } = await original();
  return {
    ...rest,
    createDenialCache: (...given) => mutation.denials(createDenialCache(...given)),
  };
});
vi.mock(import("../../src/algorithms/all.ts"), async (original) => {
  const { refund, ...rest } = await original();
  return {
    ...rest,
    refund: (algorithm, state, request) => refund(algorithm, state, mutation.refund(request)),
  };
});
vi.mock(import("../../src/decide/last-answers.ts"), async (original) => {
  const { createLastAnswers } = await original();
  return { createLastAnswers: (...given) => mutation.answers(createLastAnswers(...given)) };
});
vi.mock(import("../../src/store/cluster/slot-breaker.ts"), async (original) => {
  const { createSlotBreaker } = await original();
  return { createSlotBreaker: () => mutation.breaker(createSlotBreaker()) };
});
const sound = { ...mutation };
beforeEach(() => void Object.assign(mutation, sound));

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

test("no fault is found where there is no mistake", async () => {
  expect(await firstViolation()).toBeUndefined();
});

test.for<[mistake: string, found: RegExp, mutant: Assemble]>([
  [
    "asking again after a lost reply",
    /^single-execution: ((limit|charge|reserve|settle)\(\) ran 2 times|5 commands)/,
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
    /^timeout: (no answer|answered too late)/,
    (parts) => assemble({ ...parts, timeoutMs: 1e9 }),
  ],
  [
    "guarding each request alone",
    /^(probes|reports): /,
    ({ client, settings, timeoutMs, onStoreError }) => {
      const guard = () =>
        guardStore(
          redisStore(withOwnErrors(client), ALL_SCRIPTS),
          { timeoutMs, now: settings.now, onStoreError },
          createSlotBreaker(),
        );
      return buildLimiter(
        {
          decide: (...request) => guard().decide(...request),
          reset: (keys) => guard().reset(keys),
        },
        settings,
        EVERY_FEATURE,
      );
    },
  ],
  [
    "giving back again what got no answer",
    /^single-execution: settle\(\) ran 2 times/,
    ({ client, settings, timeoutMs, onStoreError }) => {
      const store = redisStore(withOwnErrors(client), ALL_SCRIPTS);
      const refund: typeof store.refund = async (...taken) => {
        try {
          return await store.refund!(...taken);
        } catch {
          return store.refund!(...taken);
        }
      };
      const guard = { timeoutMs, now: settings.now, onStoreError };
      return buildLimiter(
        guardStore({ ...store, refund }, guard, createSlotBreaker()),
        settings,
        EVERY_FEATURE,
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

test.for<[mistake: string, found: RegExp, mistaken: Partial<typeof mutation>]>([
  [
    "asking a store in an outage with every request",
    /^probes: the store was asked twice/,
    { breaker: (breaker) => ({ ...breaker, admits: () => true }) },
  ],
  [
    "never asking it again",
    /^probes: the store was not asked/,
    {
      breaker: (breaker) => ({
        ...breaker,
        admits: (key, now) => breaker.admits(key, Math.min(now, 1)),
      }),
    },
  ],
  [
    "giving back as if it had been taken just now",
    /^admissions: (fixed-window|sliding-window-counter|segmented-window|token-bucket) /,
    { refund: (request) => ({ ...request, takenAtUs: request.nowUs }) },
  ],
  [
    "giving back a unit too many",
    /^admissions: .* units came back where/,
    { refund: (request) => ({ ...request, cost: request.cost + 1 }) },
  ],
  [
    "starting from nothing where the store fails",
    /^fallback: .* locally/,
    { answers: (answers) => ({ ...answers, note: () => {} }) },
  ],
  [
    "believing the answer that came last, and not the newest",
    /^fallback: .* locally/,
    {
      answers: (answers) => ({
        ...answers,
        note: (partition, reply, _sentAt, now) => answers.note(partition, reply, Infinity, now),
      }),
    },
  ],
  [
    "taking the denial of a cost for one of every cost",
    /^true-denials: /,
    {
      denials: (cache) => ({
        ...cache,
        learn: (partition, costs, ...answer) =>
          cache.learn(
            partition,
            costs.map(() => 0),
            ...answer,
          ),
      }),
    },
  ],
  [
    "keeping earlier denials over a reset",
    /^true-denials: /,
    { denials: (cache) => ({ ...cache, forget: () => {} }) },
  ],
  [
    "believing an isolate's clock that steps back",
    /^(true-denials|probes): /,
    { clock: (read) => read },
  ],
])("%s is found", async ([, found, mistaken]) => {
  Object.assign(mutation, mistaken);
  expect(await firstViolation()).toMatch(found);
});

describe.for(Object.keys(IMPLEMENTATIONS) as CountingAlgorithm[])("a %s", (algorithm) => {
  const model = MODELS[algorithm]!;

  /** What is found where its model is another one. */
  async function foundWith(mistaken: AnyModel): Promise<string | undefined> {
    const spy = vi.spyOn(MODELS, algorithm).mockImplementation(mistaken);
    try {
      return await firstViolation();
    } finally {
      spy.mockRestore();
    }
  }

  test("that admits a unit too many is found", async () => {
    const generous: AnyModel = (state, request) =>
      model(state, { ...request, limit: request.limit + 1 });
    expect(await foundWith(generous)).toMatch(/^(admissions|waits|fallback): /);
  });

  test("that waits until a clock that went back has caught up is found", async () => {
    const latest = new WeakMap<object, number>();
    const waiting: AnyModel = (state, request) => {
      const nowUs = Math.max(request.nowUs, latest.get(Object(state)) ?? 0);
      const outcome = model(state, { ...request, nowUs });
      if (outcome.state !== undefined) latest.set(Object(outcome.state), nowUs);
      const lag = nowUs - request.nowUs;
      const { retryAfterUs, resetAfterUs } = outcome;
      return {
        ...outcome,
        retryAfterUs: retryAfterUs > 0 ? retryAfterUs + lag : 0,
        resetAfterUs: resetAfterUs > 0 ? resetAfterUs + lag : 0,
      };
    };
    expect(await foundWith(waiting)).toMatch(/^waits: /);
  });
});
