import { expect, onTestFinished, test, vi } from "vitest";

import type { SharedCache } from "../../src/features/shared-denials.ts";
import { MAX_SHARED_BYTES, throughCache } from "../../src/gateway/live/share-state.ts";
import { type LiveState, NO_STATE } from "../../src/store/control/live-state.ts";

const revision = (number: number): LiveState => ({ ...NO_STATE, revision: number });

/** Isolates of one data centre, and how often they asked Redis. */
function start(redis: { state: LiveState }, get?: SharedCache["get"]) {
  const kept = new Map<string, string>();
  const seconds: number[] = [];
  const calls = { redis: 0 };
  const cache: SharedCache = {
    get: get ?? (async (key) => kept.get(key)),
    put: (key, text, forSeconds) => {
      seconds.push(forSeconds);
      kept.set(key, text);
    },
  };
  const readRedis = async (known: LiveState) => {
    calls.redis++;
    return redis.state.revision === known.revision ? known : redis.state;
  };
  const read = throughCache(readRedis, cache, "k", 10_000);
  return { read, kept, calls, seconds, cache };
}

test("isolates of a data centre ask Redis once for all of them", async () => {
  const { read, calls, seconds } = start({ state: revision(7) });
  for (let i = 0; i < 16; i++) expect(await read(NO_STATE)).toEqual(revision(7));
  expect(calls.redis).toBe(1);
  expect(seconds).toEqual([10, 86_400]);
});

test("what an isolate has published itself is kept for a day with its next read, once", async () => {
  const redis = { state: revision(7) };
  const { read, kept, seconds } = start(redis);
  await read(NO_STATE);
  redis.state = revision(8);
  // As after a publication: it has read the store past the cache.
  for (let i = 0; i < 3; i++) {
    kept.delete("k");
    await read(redis.state);
  }
  expect(JSON.parse(kept.get("k kept")!)).toEqual(revision(8));
  expect(seconds.filter((each) => each === 86_400)).toHaveLength(2);
});

test("a version that is tried is shared with its document", async () => {
  const trial = { version: 2, publishedAtMs: 1, percent: 10, document: "{}" };
  const state = { ...revision(7), trial };
  const { read, calls } = start({ state });
  for (let i = 0; i < 2; i++) expect(await read(NO_STATE)).toEqual(state);
  expect(calls.redis).toBe(1);
});

test("an isolate that knows more than the cache asks Redis", async () => {
  const redis = { state: revision(7) };
  const { read, calls } = start(redis);
  await read(NO_STATE);
  redis.state = revision(8);
  expect(await read(revision(8))).toEqual(revision(8));
  expect(calls.redis).toBe(2);
});

test("an older copy after a failover is not left for the others, which would take it for all rules", async () => {
  const older = { ...revision(5), version: 1, document: "{}" };
  const { calls, kept, cache } = start({ state: older });
  // The answer of Redis's reader to a caller that knows more: without the document.
  const readRedis = async (known: LiveState) => {
    calls.redis++;
    return known.revision > older.revision ? revision(5) : older;
  };
  const read = throughCache(readRedis, cache, "k", 10_000);
  expect(await read(revision(7))).toEqual(revision(5));
  expect(kept.size).toBe(0);
  expect(await read(NO_STATE)).toEqual(older);
  expect(calls.redis).toBe(2);
});

test("an isolate that knows the content of the cache asks Redis nothing, and compiles nothing: it keeps its object", async () => {
  const { read, calls } = start({ state: revision(7) });
  const known = await read(NO_STATE);
  for (let i = 0; i < 5; i++) expect(await read(known)).toBe(known);
  expect(calls.redis).toBe(1);
});

/** A state in the cache, with a fault. */
const stateText = (fault: object) =>
  JSON.stringify({ ...revision(9), version: 1, document: "{}", ...fault });

const FULL = new Error("full");
const thrown = (error: Error) => {
  throw error;
};

test.each<[string, SharedCache]>([
  ["refuses", { get: async () => Promise.reject(new Error("no")), put: () => {} }],
  ["has something else", { get: async () => "<html>", put: () => {} }],
  ...[
    "null",
    "9",
    '{"revision":9}',
    stateText({ document: {} }),
    stateText({ entries: { "deny:1": {} } }),
    stateText({ revision: 1e300 }),
    stateText({ lineage: 7 }),
    stateText({ lostAtMs: "x" }),
    stateText({ trial: "x" }),
    stateText({ trial: { version: 2, publishedAtMs: 1, percent: 10 } }),
    stateText({ trial: { version: 2, publishedAtMs: 1, percent: "x", document: "{}" } }),
    // As a version of Tidegate before lineages left it.
    stateText({ lineage: undefined, lostAtMs: undefined }),
  ].map((text): [string, SharedCache] => [`has ${text}`, { get: async () => text, put: () => {} }]),
  ["cannot keep anything", { get: async () => undefined, put: () => Promise.reject(FULL) }],
  ["throws", { get: async () => undefined, put: () => thrown(FULL) }],
])("a cache that %s is as good as none", async (_name, cache) => {
  const read = throughCache(async () => revision(7), cache, "k", 10_000);
  expect(await read(NO_STATE)).toEqual(revision(7));
});

test("a state of more bytes than isolates may share is neither left for the others nor taken from them", async () => {
  const sizeOf = (state: LiveState) => new TextEncoder().encode(JSON.stringify(state)).length;
  const entries = (text: string): LiveState => ({ ...revision(7), entries: { "deny:1": text } });
  const left = MAX_SHARED_BYTES - sizeOf(entries(""));
  const largest = entries("é".repeat(left / 2) + "x".repeat(left % 2));
  expect(sizeOf(largest)).toBe(MAX_SHARED_BYTES);
  const { read, kept, calls } = start({ state: largest });
  await read(NO_STATE);
  expect(await read(NO_STATE)).toEqual(largest);
  expect(calls.redis).toBe(1);

  const tooLarge = entries(`${largest.entries["deny:1"]}x`);
  const other = start({ state: tooLarge });
  expect(await other.read(NO_STATE)).toEqual(tooLarge);
  expect(other.kept.size).toBe(0);

  kept.set("k", JSON.stringify(tooLarge));
  expect(await read(NO_STATE)).toEqual(largest);
  expect(calls.redis).toBe(2);
});

test("a cache that does not answer is waited for a tenth of a second", async () => {
  const { calls, read } = start({ state: revision(7) }, () => new Promise(() => {}));
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  let found: LiveState | undefined;
  void read(NO_STATE).then((state) => (found = state));
  await vi.advanceTimersByTimeAsync(99);
  expect(calls.redis).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect([found, calls.redis, vi.getTimerCount()]).toEqual([revision(7), 1, 0]);
});
