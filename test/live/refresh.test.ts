import { expect, test, vi } from "vitest";

import { createRefresh, type RefreshOptions } from "../../src/gateway/live/refresh.ts";
import { type LiveState, NO_STATE } from "../../src/store/control/live-state.ts";

const WALL_MS = 1_900_000_000_000;

/** A refresh every 10 s with a budget of 250 ms. */
function refreshing(options: Pick<RefreshOptions, "read"> & Partial<RefreshOptions>) {
  return createRefresh({
    readStore: options.read,
    refreshMs: 10_000,
    timeoutMs: 250,
    now: () => 0,
    wallNow: () => WALL_MS,
    adopt: () => {},
    onError: () => {},
    ...options,
  });
}

/** One whose reads end when the test says so. */
function start() {
  let nowMs = 1_000_000;
  const reads: { resolve(state: LiveState): void; reject(error: Error): void }[] = [];
  const adopted: number[] = [];
  const errors: string[] = [];
  const background: Promise<unknown>[] = [];
  const read: RefreshOptions["read"] = () =>
    new Promise((resolve, reject) => {
      reads.push({ resolve, reject });
    });
  const refresh = refreshing({
    read,
    now: () => nowMs,
    adopt: ({ revision }) => adopted.push(revision),
    onError: (message) => errors.push(message),
  });
  return {
    refresh,
    reads,
    adopted,
    errors,
    pass: (ms: number) => (nowMs += ms),
    before: () => refresh.before((promise) => background.push(promise)),
    settled: () => Promise.all(background),
  };
}

const revision = (number: number): LiveState => ({ ...NO_STATE, revision: number });

/** Brings it to where it has just had its first answer. */
async function startWarm() {
  const run = start();
  const waiting = run.before();
  run.reads[0]!.resolve(revision(1));
  await waiting;
  return run;
}

test("the first requests of an isolate wait for one read together", async () => {
  const { before, reads, adopted } = start();
  const waiting = [before(), before(), before()];
  expect(waiting.every((each) => each instanceof Promise)).toBe(true);
  expect(reads).toHaveLength(1);
  reads[0]!.resolve(revision(1));
  await Promise.all(waiting);
  expect(adopted).toEqual([1]);
  expect(before()).toBeUndefined();
});

test("no request waits longer than a first contact may take, and the answer counts when it comes", async () => {
  vi.useFakeTimers();
  const { before, reads, adopted, pass, settled } = start();
  const waiting = Promise.all([before(), before()]);
  await vi.advanceTimersByTimeAsync(999);
  expect(vi.getTimerCount()).toBe(2);
  await vi.advanceTimersByTimeAsync(1);
  await waiting;
  expect(vi.getTimerCount()).toBe(0);
  pass(1_000);
  expect(before()).toBeUndefined();
  reads[0]!.resolve(revision(1));
  await settled();
  vi.useRealTimers();
  expect(adopted).toEqual([1]);
});

test("after a failed read no request waits until the next one is due", async () => {
  const { refresh, before, reads, errors, pass } = start();
  const waiting = before();
  expect(refresh.isUnread()).toBe(false);
  reads[0]!.reject(new Error("refused"));
  await waiting;
  expect([errors, refresh.isUnread()]).toEqual([["the live rules were not read: refused"], true]);
  expect(before()).toBeUndefined();
  pass(9_999);
  expect(before()).toBeUndefined();
  expect(reads).toHaveLength(1);
  pass(1);
  expect(before()).toBeInstanceOf(Promise);
  expect(reads).toHaveLength(2);
});

test("a warm isolate asks in the background once per refresh, and no request waits", async () => {
  const { before, reads, adopted, pass, settled } = await startWarm();
  for (let i = 0; i < 100; i++) {
    pass(100);
    expect(before()).toBeUndefined();
  }
  expect(reads).toHaveLength(2);
  reads[1]!.resolve(revision(2));
  await settled();
  expect(adopted).toEqual([1, 2]);
});

test("only a newer revision is put into force", async () => {
  const { before, reads, adopted, pass, settled } = await startWarm();
  for (const [i, next] of [5, 5, 4, 0, 6].entries()) {
    pass(10_000);
    await before();
    reads[i + 1]!.resolve(revision(next));
    await settled();
  }
  expect(adopted).toEqual([1, 5, 6]);
});

test("the writer reads at once, or learns that it was not possible", async () => {
  const { refresh, reads, adopted } = await startWarm();
  const reading = refresh.readNow();
  reads[1]!.resolve(revision(2));
  await reading;
  expect(adopted).toEqual([1, 2]);
  expect(refresh.ageMs()).toBe(0);
  const failing = refresh.readNow();
  reads[2]!.reject(new Error("refused"));
  await expect(failing).rejects.toThrow("refused");
});

test("a failure is reported when it begins, again after a read that succeeded, and is known meanwhile", async () => {
  const { refresh, before, reads, errors, pass, settled } = await startWarm();
  const next = async (answer: LiveState | Error) => {
    pass(10_000);
    void before();
    const read = reads.at(-1)!;
    if (answer instanceof Error) read.reject(answer);
    else read.resolve(answer);
    await settled();
    return refresh.error();
  };
  const unread = "the live rules were not read: refused";
  expect(refresh.error()).toBeUndefined();
  expect(await next(new Error("refused"))).toBe(unread);
  expect(await next(new Error("refused"))).toBe(unread);
  expect(await next(revision(1))).toBeUndefined();
  expect(await next(new Error("refused"))).toBe(unread);
  expect(errors).toEqual([unread, unread]);
  expect(await next({ ...revision(1), misread: "odd" })).toBe("odd");
  expect(await next({ ...revision(6), misread: "odder" })).toBe("odder");
  expect(errors.slice(2)).toEqual(["odd"]);
});

test("an answer that was on its way while newer rules were put into force is no older copy", async () => {
  const { refresh, before, reads, errors, adopted, pass, settled } = await startWarm();
  pass(10_000);
  void before();
  const writing = refresh.readNow();
  reads[2]!.resolve(revision(9));
  await writing;
  reads[1]!.resolve(revision(4));
  await settled();
  expect(adopted).toEqual([1, 9]);
  expect([errors, refresh.error()]).toEqual([[], undefined]);
});

test("the writer reads Redis itself, past the copies that other isolates left in a cache", async () => {
  const asked: string[] = [];
  const from = (place: string) => async () => {
    asked.push(place);
    return revision(asked.length);
  };
  const refresh = refreshing({ read: from("cache"), readStore: from("redis") });
  await refresh.before(() => {});
  await refresh.readNow();
  expect(asked).toEqual(["cache", "redis"]);
});

test("the age is counted from the last answer, also while another one is awaited or has failed", async () => {
  const { refresh, before, reads, pass, settled } = await startWarm();
  pass(12_000);
  void before();
  expect(refresh.ageMs()).toBe(12_000);
  reads[1]!.reject(new Error("refused"));
  await settled();
  expect(refresh.ageMs()).toBe(12_000);
});

test.each([
  [19_999, false],
  [20_000, true],
])(
  "after %i ms without an answer, with a refresh of 10 s, a request waits: %s",
  async (ms, waits) => {
    const { before, pass, reads, settled } = await startWarm();
    pass(ms);
    expect(before() instanceof Promise).toBe(waits);
    reads[1]!.resolve(revision(1));
    await settled();
  },
);

test("rules that take long to be put into force do not make newer ones unknown", async () => {
  const states = [revision(2), revision(3), revision(3)];
  const adopted: number[] = [];
  const slow = Promise.withResolvers<void>();
  const refresh = refreshing({
    read: async () => states.shift()!,
    adopt: async ({ revision: number }) => {
      adopted.push(number);
      if (number === 2) await slow.promise;
    },
  });
  const first = refresh.readNow();
  await refresh.readNow();
  slow.resolve();
  await first;
  await refresh.readNow();
  expect(adopted).toEqual([2, 3]);
});

test("an answer that comes late, while newer rules are being put into force, is not put into force after them", async () => {
  const reads: ((state: LiveState) => void)[] = [];
  const read = () => new Promise<LiveState>((resolve) => reads.push(resolve));
  const adopted: number[] = [];
  const slow = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const refresh = refreshing({
    read,
    adopt: ({ revision: number }) => {
      adopted.push(number);
      return number === 3 ? slow.shift()?.promise : undefined;
    },
  });
  const [old, fresh, failing] = [refresh.readNow(), refresh.readNow(), slow[0]!];
  reads[1]!(revision(3));
  await expect.poll(() => adopted).toEqual([3]);
  reads[0]!(revision(2));
  await old;
  expect(adopted).toEqual([3]);

  // Where they could not be put into force, what Redis has then is, also if that is older.
  failing.reject(new Error("the history was not read"));
  await expect(fresh).rejects.toThrow("history");
  const next = refresh.readNow();
  reads[2]!(revision(2));
  await next;
  expect(adopted).toEqual([3, 2]);
});

test("a write waits for a first contact once, then for as long as every call, leaves no timer, and reports a missing answer", async () => {
  vi.useFakeTimers();
  const { refresh, reads } = start();
  /** Checks that a call without an answer gives up after this time, and not before. */
  const givesUpAfter = async (ms: number) => {
    const told: string[] = [];
    void refresh.readNow().catch(({ message }: Error) => told.push(message));
    await vi.advanceTimersByTimeAsync(ms - 1);
    expect(told).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect([told, vi.getTimerCount()]).toEqual([["the control store did not answer in time"], 0]);
  };
  await givesUpAfter(1_000);
  reads[0]!.resolve(revision(1));
  await vi.advanceTimersByTimeAsync(0);
  await givesUpAfter(250);
  vi.useRealTimers();
});

test("what was put back is told for an hour, and no longer than until it is published over", async () => {
  const { refresh, before, reads, pass, settled } = await startWarm();
  const next = async (lostAtMs: number) => {
    pass(10_000);
    void before();
    reads.at(-1)!.resolve({ ...revision(1), lostAtMs });
    await settled();
    return refresh.lostAtMs();
  };
  expect(refresh.lostAtMs()).toBeUndefined();
  expect(await next(WALL_MS - 3_599_999)).toBe(WALL_MS - 3_599_999);
  expect(await next(WALL_MS - 3_600_000)).toBeUndefined();
  expect(await next(WALL_MS)).toBe(WALL_MS);
  expect(await next(0)).toBeUndefined();
});
