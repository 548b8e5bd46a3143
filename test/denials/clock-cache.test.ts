import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

import { expect, test } from "vitest";

import { createClockCache } from "../../src/runtime/clock-cache.ts";

test("it grows with its content, by a sixteenth at most, and never beyond its bound", () => {
  const table = createClockCache(2_000, 2, 10);
  for (let i = 1; i <= 3_000; i++) {
    table.set(`text ${i}`, [i, -i]);
    const slots = table.numbers.length / 2 - 1;
    expect(slots).toBeGreaterThanOrEqual(Math.min(i, 2_000));
    expect(slots).toBeLessThanOrEqual(Math.min(i + 15 + i / 16, 2_000));
  }
  for (let i = 1; i <= 3_000; i++) {
    const slot = table.find(`text ${i}`);
    if (i <= 1_000) expect(slot).toBe(0);
    else expect([...table.numbers.subarray(slot * 2, slot * 2 + 2)]).toEqual([i, -i]);
  }
});

test("a slot given up is taken first, then one that was not used since the last round", () => {
  const table = createClockCache(4, 1, 1);
  for (const text of ["used", "unused", "given up", "used, too"]) table.set(text, [0]);
  for (const text of ["used", "used, too"]) table.find(text);
  const slot = table.find("given up");
  table.remove(slot);
  expect(table.find("given up")).toBe(0);
  table.set("fifth", [0]);
  expect(table.find("fifth")).toBe(slot);
  table.set("sixth", [0]);
  expect(table.find("unused")).toBe(0);
  for (const text of ["used", "used, too"]) expect(table.find(text)).toBeGreaterThan(0);
});

test("a text in a slot that was given up does not inherit its use", () => {
  const table = createClockCache(2, 1, 1);
  table.set("given up", [0]);
  table.set("kept", [0]);
  table.remove(table.find("given up"));
  table.set("new", [0]);
  table.set("newer", [0]);
  expect(table.find("new")).toBe(0);
  expect(table.find("kept")).toBeGreaterThan(0);
});

test("a flood of new texts takes no slot of one that is used once per round", () => {
  const table = createClockCache(100, 1, 1);
  table.set("hot", [0]);
  for (let i = 0; i < 10_000; i++) {
    if (i % 99 === 0) expect(table.find("hot")).toBe(1);
    table.set(`flood ${i}`, [0]);
  }
});

test("a long text goes with its slot", () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const heapUsed = () => {
    collectGarbage();
    return process.memoryUsage().heapUsed;
  };
  const table = createClockCache(100, 1, 1);
  const before = heapUsed();
  // 100 MB: other code of this process may let go of ten megabytes meanwhile.
  for (let i = 0; i < 100; i++) table.set(`${i}`.padEnd(1_000_000, "long"), [i]);
  expect(heapUsed() - before).toBeGreaterThan(75e6);
  for (let i = 0; i < 100; i++) table.set(`short ${i}`, [i]);
  expect(heapUsed() - before).toBeLessThan(25e6);
  expect(table.find("short 99")).toBeGreaterThan(0);
});
