import { readdirSync } from "node:fs";

import { expect, test } from "vitest";

import { SIDEBAR } from "../../docs/.vitepress/navigation.ts";
import { MODELS } from "../../docs/.vitepress/theme/playground/models.ts";
import { burstAt, mostWithin, replay } from "../../docs/.vitepress/theme/playground/replay.ts";
import { scaleOf } from "../../docs/.vitepress/theme/playground/scale.ts";

const SETTINGS = {
  limit: 10,
  window: 10,
  refill: 10,
  segments: 10,
  work: 2,
  unit: "day",
  timeZone: "Europe/Berlin",
} as const;

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

test("a day of a calendar in the playground ends when its zone's clocks show midnight, after 25 hours too", () => {
  const model = MODELS.find(({ id }) => id === "calendar")!;
  const { ticks, factor, moment } = scaleOf(model, SETTINGS);
  const hours = ticks.map(({ atMs }) => (atMs * factor) / 3_600_000);
  expect(hours).toEqual([0, 24, 49]);
  expect(ticks.map(({ label }) => label)).toEqual(["24 Oct", "25 Oct", "26 Oct"]);
  expect(moment(0)).toBe("Sat 24 Oct, 00:00");
  // Ten an hour before the long day ends, and one a minute before and after its end.
  const at = (hour: number) => (hour * 3_600_000) / factor;
  const hits = [...burstAt(at(48), 10, 0), at(49 - 1 / 60), at(49 + 1 / 60)];
  const { outcomes, faults } = replay(model, SETTINGS, hits);
  expect(faults).toEqual([]);
  expect(outcomes.map(({ allowed }) => allowed)).toEqual([...Array(10).fill(true), false, true]);
  expect(outcomes[10]!.retryAfterMs).toBeCloseTo(60_000, -1);
});

test.for([
  ["hour", "minutes", ["12:00", "13:00", "14:00", "15:00"]],
  ["week", "hours", ["19 Oct", "26 Oct", "2 Nov"]],
  ["month", "days", ["1 Oct", "1 Nov", "1 Dec"]],
] as const)(
  "the playground's time line shows three windows of a %s, and bursts in %s",
  ([unit, burst, labels]) => {
    const model = MODELS.find(({ id }) => id === "calendar")!;
    const scale = scaleOf(model, { ...SETTINGS, unit, timeZone: "UTC" });
    expect(scale.burstUnit.name).toBe(burst);
    expect(scale.ticks.map(({ label }) => label).slice(0, labels.length)).toEqual(labels);
  },
);

test("the playground reports a faulty setting with the product's sentence", () => {
  const { faults } = replay(MODELS[0]!, { ...SETTINGS, limit: 0 }, []);
  expect(faults).toHaveLength(1);
  expect(faults[0]).toContain("policy.limit, 0: ");
});
