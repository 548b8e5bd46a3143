import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createWaitingRoom } from "../../src/runtime/waiting-room.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Counts how often promises that code makes from now on are told their end. */
function countResolutions(): { ends: number } {
  const count = { ends: 0 };
  class Counted<Value> extends Promise<Value> {
    constructor(run: ConstructorParameters<typeof Promise<Value>>[0]) {
      super((resolve, reject) =>
        run((value) => {
          count.ends++;
          resolve(value);
        }, reject),
      );
    }
  }
  vi.stubGlobal("Promise", Counted);
  return count;
}

test("all waiters go on together, and leave no timer", async () => {
  const room = createWaitingRoom();
  const gone: string[] = [];
  for (const name of ["one", "two", "three"]) void room.wait(100).then(() => gone.push(name));
  await vi.advanceTimersByTimeAsync(99);
  expect(gone).toEqual([]);
  room.letGoOn();
  await vi.advanceTimersByTimeAsync(0);
  expect(gone).toEqual(["one", "two", "three"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("each waits for its own time at most", async () => {
  const room = createWaitingRoom();
  const gone: string[] = [];
  void room.wait(10).then(() => gone.push("short"));
  void room.wait(20).then(() => gone.push("long"));
  await vi.advanceTimersByTimeAsync(9);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(gone).toEqual(["short"]);
  await vi.advanceTimersByTimeAsync(10);
  expect(gone).toEqual(["short", "long"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a waiter that stopped is not told of the end; one that still waits is told once", async () => {
  const count = countResolutions();
  const room = createWaitingRoom();
  void room.wait(10);
  void room.wait(50);
  await vi.advanceTimersByTimeAsync(10);
  count.ends = 0;
  room.letGoOn();
  expect(count.ends).toBe(1);
  await vi.advanceTimersByTimeAsync(0);
  count.ends = 0;
  room.letGoOn();
  expect(count.ends).toBe(0);
});
