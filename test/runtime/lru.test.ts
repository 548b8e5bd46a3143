import { expect, test } from "vitest";

import { setRecent } from "../../src/runtime/lru.ts";

function filled(...keys: string[]): Map<string, number> {
  return new Map(keys.map((key, i) => [key, i]));
}

test("an entry goes to the end, and their number is bounded", () => {
  const map = filled("a", "b");
  setRecent(map, "c", 2, 3);
  expect([...map]).toEqual([
    ["a", 0],
    ["b", 1],
    ["c", 2],
  ]);
  setRecent(map, "d", 3, 3);
  expect([...map.keys()]).toEqual(["b", "c", "d"]);
});

test("an entry that is put again is the last one, with its new value, and pushes out no other", () => {
  const map = filled("a", "b", "c");
  setRecent(map, "a", 7, 3);
  expect([...map]).toEqual([
    ["b", 1],
    ["c", 2],
    ["a", 7],
  ]);
});
