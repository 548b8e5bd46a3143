import { readdirSync } from "node:fs";

import { expect, test } from "vitest";

import { SIDEBAR } from "../../docs/.vitepress/navigation.ts";
import { MODELS } from "../../docs/.vitepress/theme/playground/models.ts";
import { burstAt, mostWithin, replay } from "../../docs/.vitepress/theme/playground/replay.ts";

const SETTINGS = { limit: 10, window: 10, refill: 10, segments: 10, work: 2 };

/** Ten requests before a boundary of a window on the grid, and ten after it. */
const AROUND = [...burstAt(8_000, 10, 1_500), ...burstAt(10_500, 10, 1_500)];

test("the site's navigation leads to every page", () => {
  const pages = readdirSync("docs", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".md") && file !== "index.md")
    .map((file) => `/${file.slice(0, -3)}`);
  const linked = SIDEBAR.flatMap(({ items = [] }) => items.map(({ link }) => link));
  expect(linked.sort()).toEqual(pages.sort());
});

test.for([
  ["token-bucket", 13],
  ["sliding-window-log", 10],
  ["segmented-window", 10],
  ["sliding-window-counter", 11],
  ["fixed-window", 20],
  ["unaligned", 10],
  ["concurrency", 20],
] as const)("in the playground, %s admits %i of two bursts of ten", ([id, admitted]) => {
  const model = MODELS.find((each) => each.id === id)!;
  const { outcomes, steps, faults } = replay(model, SETTINGS, AROUND);
  expect(faults).toEqual([]);
  expect(steps).toHaveLength(301);
  expect(mostWithin(outcomes, 10_000)).toBe(admitted);
});

test("the playground says with the product's sentence what is wrong with a setting", () => {
  const { faults } = replay(MODELS[0]!, { ...SETTINGS, limit: 0 }, []);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain("policy.limit, 0: ");
});
