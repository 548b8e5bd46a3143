import { readFileSync } from "node:fs";

import type { Locator } from "playwright-core";
import { describe, expect, test } from "vitest";

import { distinct, labelsAt } from "../../packages/dashboard/src/parts/axis-labels.ts";
import { count, milliseconds } from "../../packages/dashboard/src/parts/format.ts";
import { lonePoints } from "../../packages/dashboard/src/parts/lone-points.ts";
import { hash } from "../../src/partition/key-text.ts";
import { statsFor } from "./counts.ts";
import { useDashboard } from "./dashboard.ts";
import { rideOften } from "./rides.ts";
import { regionOf } from "./visit.ts";

const on = useDashboard();

/** The colours along the bottom of a picture, each with how many pixels it goes on. */
async function bottomOf(picture: Locator): Promise<readonly (readonly [string, number])[]> {
  await picture.locator("canvas").waitFor();
  return picture.locator("canvas").evaluate((element) => {
    const canvas = element as HTMLCanvasElement;
    const over = canvas.parentElement!.querySelector<HTMLElement>(".u-over")!;
    const y = Math.round((over.offsetTop + over.offsetHeight - 6) * devicePixelRatio);
    const x = Math.round(over.offsetLeft * devicePixelRatio);
    const { data } = canvas
      .getContext("2d")!
      .getImageData(x, y, Math.round(over.offsetWidth * devicePixelRatio), 1);
    const runs: [string, number][] = [];
    for (let i = 0; i < data.length; i += 4) {
      const colour = data.slice(i, i + 4).join(",");
      if (runs.at(-1)?.[0] === colour) runs.at(-1)![1]++;
      else runs.push([colour, 1]);
    }
    return runs.filter(([, length]) => length > 4);
  });
}

test("bars that may still grow are paler, and their numbers say so", async () => {
  const page = await on.open("#/", { counts: "incident" });
  const picture = regionOf(page, "Requests by the minute");
  await picture.getByText("Paler: counts that may still grow").waitFor();
  const bars = (await bottomOf(picture))
    .filter(([, length]) => length > 8)
    .map(([colour]) => colour);
  const [usual] = bars;
  expect(bars.length).toBeGreaterThan(50);
  // The first layer lies at the bottom, and hides none of the others.
  expect(usual).toBe(await page.evaluate(drawnAs, "--allowed"));
  const canvas = picture.locator("canvas");
  expect(await canvas.evaluate(pixelsOf, "--denied")).toBeGreaterThan(100);
  const pale = bars.filter((colour) => colour !== usual);
  // The minute under way, and the one before: isolates write once in a minute.
  expect([pale.length, bars.slice(-2)]).toEqual([2, pale]);
  await picture.getByText("Numbers").click();
  const times = picture.locator("tbody td:first-child");
  await expect.poll(() => times.count()).toBe(50);
  const said = (await times.allInnerTexts()).map((text) => text.includes("may still grow"));
  expect(said.filter(Boolean)).toHaveLength(2);
  expect(said.slice(0, 2)).toEqual([true, true]);
});

test("a bar of ten minutes is as wide as ten minutes", async () => {
  await rideOften(on.stack, "wide", 6);
  const page = await on.open(`#/partition?policy=rides&partition=x-user-id:${await hash("wide")}`);
  const picture = page.getByRole("region", { name: /^Denied by the ten minutes/ });
  const widths = async () => {
    const runs = await bottomOf(picture);
    const all = runs.reduce((sum, [, length]) => sum + length, 0);
    const drawn = runs.filter(([colour]) => colour !== "0,0,0,0");
    return Math.round((100 * Math.max(...drawn.map(([, length]) => length))) / all);
  };
  // One of seven.
  await expect.poll(widths).toBeGreaterThan(11);
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

test("the latency of a single minute is seen, with no line to it", async () => {
  const page = await on.open("#/rules", { counts: "incident" });
  await page.route("**/api/v1/stats?*", (route) => {
    const stats = statsFor(new URL(route.request().url())) as {
      readonly durations: readonly { readonly counts: readonly number[] }[];
    };
    const durations = stats.durations.map((bucket) => ({
      ...bucket,
      counts: bucket.counts.map((each, i) => (i === 20 ? each : 0)),
    }));
    return route.fulfill({ json: { ...stats, durations } });
  });
  await page.getByRole("link", { name: "Overview" }).click();
  const picture = regionOf(page, "Redis latency");
  const canvas = picture.locator("canvas");
  await canvas.waitFor();
  await expect.poll(() => canvas.evaluate(pixelsOf, "--series-1")).toBeGreaterThan(4);
});

/** A colour of the page as a canvas has it. */
function drawnAs(name: string): string {
  const sample = new OffscreenCanvas(1, 1).getContext("2d")!;
  sample.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  sample.fillRect(0, 0, 1, 1);
  return sample.getImageData(0, 0, 1, 1).data.join();
}

test("other colours draw the pictures anew", async () => {
  const page = await on.open("#/", { counts: "incident", context: { colorScheme: "light" } });
  const picture = regionOf(page, "Requests by the minute");
  const bottom = async () => (await bottomOf(picture))[1]![0];
  await expect.poll(bottom).toBe(await page.evaluate(drawnAs, "--allowed"));
  const light = await bottom();
  await page.getByLabel("Colours").selectOption("dark");
  await expect.poll(bottom).toBe(await page.evaluate(drawnAs, "--allowed"));
  expect(await bottom()).not.toBe(light);
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

/** How many pixels of a picture have exactly this colour of the page. */
function pixelsOf(element: Element, name: string): number {
  const pixels = (context: CanvasRenderingContext2D) =>
    new Uint32Array(
      context.getImageData(0, 0, context.canvas.width, context.canvas.height).data.buffer,
    );
  const sample = new OffscreenCanvas(1, 1).getContext("2d")!;
  sample.fillStyle = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  sample.fillRect(0, 0, 1, 1);
  const [colour] = new Uint32Array(sample.getImageData(0, 0, 1, 1).data.buffer);
  return pixels((element as HTMLCanvasElement).getContext("2d")!).filter((each) => each === colour)
    .length;
}
