import { expect, test, vi } from "vitest";

import { createMinutes } from "../../src/metrics/minutes.ts";

/** Its content, by minute and field. */
const shown = ({ take }: ReturnType<typeof createMinutes>) =>
  Object.fromEntries([...take()].map(([minute, counts]) => [minute, Object.fromEntries(counts)]));

test("minutes that together have too many fields are put together: no count is lost", () => {
  const minutes = createMinutes(4);
  minutes.add(1, "a", 1);
  minutes.add(1, "b", 2);
  minutes.add(2, "a", 3);
  minutes.add(2, "c", 4);
  minutes.add(2, "a", 5);
  minutes.add(1, "b", 6);
  minutes.add(3, "d", 7);
  expect(shown(minutes)).toEqual({ 3: { a: 9, b: 8, c: 4, d: 7 } });
});

test("a count without room even then is counted as overflow, once each", () => {
  const minutes = createMinutes(2);
  for (const field of ["a", "b", "c", "d", "a"]) minutes.add(1, field, 10);
  expect(shown(minutes)).toEqual({ 1: { a: 20, b: 10, o: 2 } });
});

test("counts that were given away are not given again, and there is room anew", () => {
  const minutes = createMinutes(2);
  expect(minutes.isEmpty()).toBe(true);
  for (const field of ["a", "b", "c"]) minutes.add(1, field, 1);
  expect(minutes.isEmpty()).toBe(false);
  minutes.take();
  expect(minutes.isEmpty()).toBe(true);
  minutes.add(2, "c", 1);
  minutes.add(2, "d", 1);
  expect(shown(minutes)).toEqual({ 2: { c: 1, d: 1 } });
});

test("a full isolate counts on as fast as before", () => {
  const minutes = createMinutes(1_000);
  const copied = vi.spyOn(Map.prototype, "values");
  for (let i = 0; i < 5_000; i++) minutes.add(1, `f${i}`, 1);
  minutes.add(2, "g", 1);
  for (let i = 0; i < 5_000; i++) minutes.add(2, `f${i}`, 1);
  const copies = copied.mock.calls.length;
  copied.mockRestore();
  expect(copies).toBeLessThan(4);
});
