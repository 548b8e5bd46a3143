import { readFileSync } from "node:fs";

import { describe, expect, test } from "vitest";

import { distinct, labelsAt } from "../../packages/dashboard/src/parts/axis-labels.ts";
import { count, milliseconds } from "../../packages/dashboard/src/parts/format.ts";
import { lonePoints } from "../../packages/dashboard/src/parts/lone-points.ts";
import { useDashboard } from "./dashboard.ts";
import { regionOf } from "./visit.ts";

const on = useDashboard();

test("the numbers of bars that may still grow say so", async () => {
  const page = await on.open("#/", { counts: "incident" });
  const picture = regionOf(page, "Requests by the minute");
  await picture.getByText("Paler: counts that may still grow").waitFor();
  await picture.getByText("Numbers").click();
  const times = picture.locator("tbody td:first-child");
  await expect.poll(() => times.count()).toBe(50);
  const said = (await times.allInnerTexts()).map((text) => text.includes("may still grow"));
  // The minute under way, and the one before: isolates write once in a minute.
  expect(said).toEqual(said.map((_, i) => i < 2));
});

test("the page says in which time zone its times are", async () => {
  const page = await on.open("#/", { context: { timezoneId: "Asia/Kolkata" } });
  await page.getByText("Times are in Asia/Calcutta, GMT+5:30.").waitFor();
});

describe("labels", () => {
  const from = Date.UTC(2031, 0, 1) / 1000;

  test.each([
    [[0, 50_000, 100_000, 150_000], count],
    [[0, 1_000_000, 1_050_000, 1_100_000], count],
    [[0, 1, 2, 3], milliseconds],
    [[0, 1_000, 1_020, 1_040], milliseconds],
    [[0, 0.5, 1], milliseconds],
  ])("of %j differ", (values, format) => {
    const labels = distinct(values, format);
    expect(new Set(labels).size).toBe(values.length);
  });

  test.each([1, 2, 6, 12, 24, 72].map((hours) => [hours]))(
    "of moments %i hours apart differ",
    (hours) => {
      const splits = Array.from({ length: 8 }, (_, i) => from + i * hours * 3_600);
      expect(new Set(labelsAt(splits)).size).toBe(8);
    },
  );

  test("of one day have no date", () => {
    expect(labelsAt([from + 3_600, from + 7_200]).join()).toMatch(/^\d\d:\d\d,\d\d:\d\d$/);
  });
});

/** Relative luminance and contrast as WCAG 2 defines them. */
function contrast(one: string, other: string): number {
  const luminance = (colour: string) => {
    const hex = colour.length === 4 ? colour.replaceAll(/[\da-f]/g, "$&$&") : colour;
    const [r, g, b] = [1, 3, 5]
      .map((at) => Number.parseInt(hex.slice(at, at + 2), 16) / 255)
      .map((part) => (part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
  };
  const [low, high] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high! + 0.05) / (low! + 0.05);
}

test.each([0, 1])("each colour of a picture stands out from the card, theme %i", (theme) => {
  const text = readFileSync("packages/dashboard/src/style/tokens.css", "utf8").split(":root")[
    theme + 1
  ]!;
  const colours = Object.fromEntries(
    [...text.matchAll(/--([\w-]+): (#[\da-f]{3,6});/g)].map(([, name, colour]) => [name, colour!]),
  );
  const names = Object.keys(colours).filter((name) =>
    /^(?:allowed|denied|blocked|refused|exempt|passed)$/.test(name),
  );
  expect(names).toHaveLength(6);
  // Layers that lie upon each other; a part without a layer of its own is striped.
  const layers = ["allowed", "denied", "blocked", "refused", "exempt"];
  const alike = layers.filter(
    (name, i) => i > 0 && contrast(colours[name]!, colours[layers[i - 1]!]!) < 3,
  );
  expect(alike).toEqual([]);
  const dim = names.filter((name) => contrast(colours[name]!, colours["card"]!) < 3);
  expect(dim).toEqual([]);
});

test("the lines and layers of rules have the colours of the outcomes, in their order", () => {
  const text = readFileSync("packages/dashboard/src/style/tokens.css", "utf8");
  const named = [...text.matchAll(/--series-(\d): var\(--(\w+)\);/g)].map(([, i, name]) => [
    i,
    name,
  ]);
  expect(named).toEqual([
    ["1", "allowed"],
    ["2", "denied"],
    ["3", "blocked"],
    ["4", "refused"],
    ["5", "exempt"],
  ]);
});

test.each([
  [
    [null, 4, null, 5, 6, undefined, 7],
    [1, 6],
  ],
  [[3], [0]],
  [[0, 0], []],
  [[], []],
])("of %j these are reached by no line: %j", (values, lone) => {
  expect(lonePoints(values)).toEqual(lone);
});

test("a picture's numbers are a table, the newest first; its legend and its name say them, at a bar those of its moment", async () => {
  const page = await on.open("#/", { counts: "incident" });
  const picture = regionOf(page, "Requests by the minute");
  await picture.getByText("Numbers").click();
  const rows = picture.locator("tbody tr");
  await expect.poll(() => rows.count()).toBe(50);
  await picture.getByRole("button", { name: "Next" }).click();
  await expect.poll(() => rows.count()).toBe(10);
  expect(await picture.getByRole("button", { name: "Next" }).isDisabled()).toBe(true);
  const label = await picture.getByRole("img").getAttribute("aria-label");
  const [, said] = /allowed (\d[\d,]*\d)/.exec(label!) ?? [];
  const allowed = picture.locator(".legend li", { hasText: "allowed" }).locator("b");
  expect(await allowed.innerText()).toBe(said);
  const oldest = await rows.last().locator("td").allInnerTexts();
  const { width, height } = (await picture.locator(".u-over").boundingBox())!;
  // In the right half of the first of sixty bars.
  const position = { x: (0.7 * width) / 60, y: height / 2 };
  await picture.locator(".u-over").hover({ position });
  await expect.poll(() => picture.locator(".at").innerText()).toBe(oldest[0]);
  expect(await picture.locator(".legend b").allInnerTexts()).toEqual(oldest.slice(1));
});
