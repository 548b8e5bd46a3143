import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";

import { MAX_WAIT_MS } from "../../src/decide/known-denials.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import type { Store } from "../../src/store/store.ts";
import { builtLimiter } from "../support/limiter/built-limiter.ts";
import {
  fixedWindow,
  type SharedCache,
  shareDenials,
  StoreError,
} from "../support/limiter/plain.ts";

/** Round trips to Redis and to the shared cache, in milliseconds. */
const TRIP = 20;
const CACHE_TRIP = 2;

/** Of the policy that all isolates have, in milliseconds. */
const WINDOW = 1_000;

/** When isolates make their requests: milliseconds of the fake clock. */
const START = 4e12;

let calls: number[];
let fails: boolean;
/** By how many milliseconds Redis's clock has stepped. */
let stepped: number;
let notes: Map<string, string>;
let reads: number;
let cache: SharedCache;
let store: Store;

beforeEach(() => {
  vi.useFakeTimers({
    toFake: ["setTimeout", "clearTimeout", "Date", "performance"],
    now: START,
  });
  calls = [];
  fails = false;
  stepped = 0;
  notes = new Map();
  reads = 0;
  const model = openMemoryStore({ now: () => (Date.now() + stepped) * 1000 });
  store = {
    async decide(...request) {
      calls.push(Date.now() - START);
      await pass(TRIP / 2);
      if (fails) throw new StoreError("ERR_STORE_UNREACHABLE", "gone");
      const reply = await model.decide(...request);
      await pass(TRIP / 2);
      return reply;
    },
    async reset(keys) {
      await pass(TRIP);
      return model.reset(keys);
    },
  };
  cache = {
    async get(key) {
      reads++;
      await pass(CACHE_TRIP / 2);
      const note = notes.get(key);
      await pass(CACHE_TRIP / 2);
      return note;
    },
    async put(key, text) {
      await pass(CACHE_TRIP / 2);
      notes.set(key, text);
    },
  };
});
afterEach(() => {
  vi.useRealTimers();
});

const pass = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));

const isolate = (limit = 1, prefix = "tg"): Limiter =>
  builtLimiter(store, {
    prefix,
    policies: [fixedWindow({ name: "p", limit, window: `${WINDOW}ms` })],
    sharedDenials: shareDenials({
      get: (key) => cache.get(key),
      put: (key, text, seconds) => cache.put(key, text, seconds),
    }),
  });

interface Answer {
  readonly reason: string;
  /** Milliseconds. */
  readonly took: number;
}

/** Requests, each at its time in milliseconds after the start, and their results. */
async function play(
  ...requests: readonly (readonly [at: number, limiter: Limiter, cost?: number])[]
): Promise<Answer[]> {
  const answers = requests.map(async ([at, limiter, cost = 1]) => {
    await pass(START + at - Date.now());
    const asked = Date.now();
    const { reason } = await limiter.limit("somebody", { cost });
    return { reason, took: Date.now() - asked };
  });
  await vi.advanceTimersByTimeAsync(START + requests.at(-1)![0] + 400 - Date.now());
  return Promise.all(answers);
}

/** Two isolates that had an answer of Redis each, and know no more when the second window begins. */
async function bothDenied(): Promise<[Limiter, Limiter]> {
  const [one, other] = [isolate(), isolate()];
  const answers = await play([0, one], [100, other], [200, one], [200, other]);
  expect(answers.map(({ reason }) => reason)).toEqual([
    "allowed",
    "limited",
    "cached-denial",
    "cached-denial",
  ]);
  expect(reads).toBe(0);
  expect(notes.size).toBe(0);
  calls = [];
  return [one, other];
}

const SECOND = WINDOW;
const allowed = { reason: "allowed", took: CACHE_TRIP + TRIP };
const deniedByNote = { reason: "cached-denial", took: CACHE_TRIP };
const deniedByItself = { reason: "cached-denial", took: 0 };

describe("a denial that one isolate learnt from Redis", () => {
  test("denies in another one without a call, when its own knowledge has run out", async () => {
    const [one, other] = await bothDenied();
    expect(await play([SECOND, one], [SECOND + 50, other], [SECOND + 100, other])).toEqual([
      allowed,
      deniedByNote,
      deniedByItself,
    ]);
    expect(calls).toEqual([SECOND + CACHE_TRIP]);
    expect(reads).toBe(2);
  });

  test("denies no request after its end", async () => {
    const [one, other] = await bothDenied();
    const third = SECOND + WINDOW;
    await play([SECOND, one], [third, other]);
    expect(calls).toEqual([SECOND + CACHE_TRIP, third + CACHE_TRIP]);
  });

  test("is not believed by an isolate that had no answer of Redis itself, nor for ten seconds", async () => {
    const [one, other] = await bothDenied();
    expect(await play([SECOND, one], [SECOND + 50, isolate()], [SECOND + 60, one])).toEqual([
      allowed,
      { reason: "limited", took: TRIP },
      deniedByItself,
    ]);
    calls = [];
    const later = 100 + 10_000;
    expect(await play([later - 50, one], [later, other])).toEqual([
      allowed,
      { reason: "limited", took: TRIP },
    ]);
  });

  test("says nothing about a smaller cost", async () => {
    const [one, other] = [isolate(5), isolate(5)];
    await play([0, one, 5], [100, other, 3]);
    calls = [];
    const answers = await play([SECOND, one, 4], [SECOND + 50, other, 3], [SECOND + 100, other, 1]);
    expect(answers.map(({ reason }) => reason)).toEqual(["allowed", "limited", "allowed"]);
    expect(calls).toHaveLength(3);
  });

  test("is of one configuration: another prefix and another limit do not see it", async () => {
    const [one] = await bothDenied();
    const [apart, wider] = [isolate(1, "other"), isolate(2)];
    await play([300, wider, 2], [310, apart], [340, wider, 2], [350, apart]);
    calls = [];
    await play([SECOND, one], [SECOND + 50, apart], [SECOND + 60, wider, 2]);
    expect(calls).toHaveLength(3);
    expect(notes.size).toBe(3);
  });

  test("is taken away by a reset", async () => {
    const [one, other] = await bothDenied();
    await play([SECOND, one]);
    expect([...notes.values()]).toEqual([expect.stringMatching(/^4\d{15},1,0,\d+,\d+$/)]);
    const reset = one.reset("somebody");
    // While Redis does not know of it, another isolate may publish the denial again.
    await vi.advanceTimersByTimeAsync(TRIP - 1);
    expect([...notes.values()]).not.toContain("");
    await vi.advanceTimersByTimeAsync(1 + CACHE_TRIP);
    await reset;
    expect([...notes.values()]).toEqual([""]);
    expect(await play([SECOND + 450, other])).toEqual([allowed]);
  });
});

test("a client that uses its whole quota and is never denied does not wait for the cache", async () => {
  const one = isolate();
  const windows = Array.from({ length: 5 }, (_, window) => [window * WINDOW, one] as const);
  expect(await play(...windows)).toEqual(windows.map(() => ({ reason: "allowed", took: TRIP })));
  expect(reads).toBe(0);
  expect(notes.size).toBe(0);
  // Once denied, it reads whenever a denial has expired.
  expect(await play([5 * WINDOW, one], [5 * WINDOW + 100, one], [6 * WINDOW, one])).toEqual([
    { reason: "allowed", took: TRIP },
    deniedByItself,
    allowed,
  ]);
  expect(await play([7 * WINDOW, one])).toEqual([allowed]);
  expect(reads).toBe(2);
});

describe("while one isolate asks", () => {
  test("another one reads again until the answer is there", async () => {
    const [one, other] = await bothDenied();
    const [first, second] = await play([SECOND, one], [SECOND + 4, other]);
    expect(first).toEqual(allowed);
    expect(second!.reason).toBe("cached-denial");
    // The answer is there after 23 ms; reads take 2 each, with pauses of 4, 8 and 16 between.
    expect(second!.took).toBe(4 * CACHE_TRIP + 4 + 8 + 16);
    expect(calls).toEqual([SECOND + CACHE_TRIP]);
  });

  test("and gets none, the others ask when they have waited for long enough", async () => {
    const [one, other] = await bothDenied();
    const { decide } = store;
    store.decide = () => new Promise(() => {});
    void one.limit("somebody");
    await vi.advanceTimersByTimeAsync(0);
    store.decide = decide;
    const [first] = await play([SECOND, other]);
    expect(first!.reason).toBe("allowed");
    expect(first!.took).toBeLessThanOrEqual(MAX_WAIT_MS + CACHE_TRIP + TRIP);
  });

  test("fails, they ask soon, and no request is denied by its claim", async () => {
    const [one, other] = await bothDenied();
    fails = true;
    const [first] = await play([SECOND, one]);
    expect(first!.reason).toBe("store-unavailable");
    // Nothing is withdrawn: others may have published a denial.
    expect([...notes.values()]).toEqual([expect.stringMatching(/^\d+$/)]);
    fails = false;
    expect(await play([SECOND + 450, other])).toEqual([allowed]);
  });

  test("and finds room, its claim is withdrawn", async () => {
    const [one, other] = [isolate(5), isolate(5)];
    const charges = [one.charge("somebody", 5), other.charge("somebody", 5)];
    await vi.advanceTimersByTimeAsync(TRIP);
    await Promise.all(charges);
    expect(await play([100, one], [100, other])).toEqual([deniedByItself, deniedByItself]);
    expect(await play([SECOND, one], [SECOND + 30, other])).toEqual([allowed, allowed]);
    expect([...notes.values()]).toEqual([""]);
  });
});

describe("a shared cache that misbehaves", () => {
  const far = "9007199254740991";
  const now = String((START + SECOND) * 1000);
  test("a note as it is written denies", async () => {
    const [, other] = await bothDenied();
    cache.get = async () => `${now},1,0,900000,900000`;
    expect(await play([SECOND + 50, other])).toEqual([{ reason: "cached-denial", took: 0 }]);
  });

  test.for([
    ["an empty text", ""],
    ["a word", "denied"],
    ["JSON", `{"cost":1,"until":${far}}`],
    ["a list", `[${now},1,0,${far},${far}]`],
    ["too few numbers", `${now},1,0,900000`],
    ["too many numbers", `${now},1,0,900000,900000,0,900000,900000`],
    ["a cost below nothing", `${now},-1,0,900000,900000`],
    ["what was said in time to come", `${far},1,0,900000,900000`],
    ["a wait that is no number", `${now},1,0,NaN,900000`],
    ["a wait without end", `${now},1,0,Infinity,900000`],
    ["half a unit", `${now},1,0.5,900000,900000`],
    ["a wait below nothing", `${now},1,0,-900000,900000`],
    ["a denial that is over", `${(START + 1) * 1000},1,0,900000,900000`],
    ["a claim of long ago", `${START * 1000}`],
    ["a claim of time to come", far],
    ["a megabyte", "1,".repeat(500_000)],
    ["no text", 5 as unknown as string],
    ["nothing", null as unknown as string],
    ["an object", {} as unknown as string],
    ["what cannot be read", Object.create(null) as string],
  ])("denies nobody: %s", async ([, note]) => {
    const [, other] = await bothDenied();
    cache.get = async () => note;
    expect(await play([SECOND + 50, other])).toEqual([{ reason: "allowed", took: TRIP }]);
  });

  test.for<[string, Partial<SharedCache>]>([
    ["get throws", { get: () => fail() }],
    ["get fails", { get: () => Promise.reject(new Error("out of order")) }],
    ["put throws", { put: () => fail(), get: async () => undefined }],
    ["put fails", { put: () => Promise.reject(new Error("full")), get: async () => undefined }],
    ["put hangs", { put: () => new Promise(() => {}), get: async () => undefined }],
  ])("costs nothing: %s", async ([, broken]) => {
    const [, other] = await bothDenied();
    Object.assign(cache, broken);
    expect(await play([SECOND, other])).toEqual([{ reason: "allowed", took: TRIP }]);
  });
});

function fail(): never {
  throw new Error("out of order");
}

describe("Redis's clock steps", () => {
  test("forwards: an isolate that knows the old time does not trust denials of the new one", async () => {
    const [one, other] = await bothDenied();
    stepped = 10 * WINDOW;
    const answers = await play(
      [SECOND, one],
      [SECOND + 50, other],
      [SECOND + 100, other],
      [SECOND + 100, one],
    );
    expect(answers).toEqual([
      allowed,
      { reason: "limited", took: CACHE_TRIP + TRIP },
      deniedByItself,
      deniedByItself,
    ]);
    expect(calls).toHaveLength(2);
    // By its answer the other knows the new time, too.
    calls = [];
    const third = SECOND + WINDOW;
    expect(await play([third, one], [third + 50, other])).toEqual([allowed, deniedByNote]);
    expect(calls).toHaveLength(1);
  });

  test("back: denials of the new time deny nothing in an isolate that knows the old one", async () => {
    const [one, other] = await bothDenied();
    stepped = -WINDOW / 2;
    const answers = await play(
      [SECOND, one],
      [SECOND + 450, other],
      [SECOND + 480, other],
      // The window ends half a second later than the isolates thought.
      [SECOND + WINDOW / 2, other],
    );
    expect(answers).toEqual([
      { reason: "limited", took: CACHE_TRIP + TRIP },
      { reason: "limited", took: CACHE_TRIP + TRIP },
      deniedByItself,
      allowed,
    ]);
  });
});
