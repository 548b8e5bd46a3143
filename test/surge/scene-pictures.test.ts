import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JSDOM } from "jsdom";
import { describe, expect, test } from "vitest";

import { pageOf } from "../../bench/surge/report/page.ts";
import { SCENE_PICTURES, type ScenePicture } from "../../bench/surge/report/pictures/pictures.ts";
import { writeReport } from "../../bench/surge/report/report.ts";
import { sceneTable } from "../../bench/surge/report/scene-table.ts";
import type { SurgeResults } from "../../bench/surge/results.ts";
import { parseSvg, textBoxes } from "../docs/text-boxes.ts";
import { results } from "./results.ts";

function draw(name: ScenePicture, given = results): SVGSVGElement {
  return parseSvg(SCENE_PICTURES[name](given));
}

function titleOf(picture: Element): string | null {
  return picture.getAttribute("aria-label");
}

describe("the pictures of the scenes", () => {
  test("deploys have a line for each limiter, the limit, and a rule for each deploy", () => {
    const picture = draw("deploy-amnesia");
    expect(titleOf(picture)).toBe(
      "Through 3 deploys the limit of 40 holds; counted per isolate, 200 pass",
    );
    expect(picture.querySelectorAll('[aria-label="line"] path')).toHaveLength(2);
    const [deploys, limits] = picture.querySelectorAll('[aria-label="rule"]');
    expect([deploys!.childElementCount, limits!.childElementCount]).toEqual([3, 1]);
  });

  test("a limit that does not hold is not said to hold", () => {
    const { deployAmnesia } = results.scenes;
    const redis = { ...deployAmnesia.redis, admittedInWorstWindow: 41 };
    const scenes = { ...results.scenes, deployAmnesia: { ...deployAmnesia, redis } };
    expect(titleOf(draw("deploy-amnesia", { ...results, scenes }))).toMatch(
      /^Through 3 deploys the limit of 40 lets 41 pass;/,
    );
  });

  test("the boundary's two panels have one scale, and say what strictness costs", () => {
    const picture = draw("boundary-burst");
    expect(titleOf(picture)).toBe(
      "An attack on a boundary gets 2× the limit out of a fixed window, 1× out of a segmented window",
    );
    const bars = [...picture.querySelectorAll('[aria-label="bar"] rect')];
    const widths = bars.map((bar) => Number(bar.getAttribute("width")));
    const multiples = [2, 1.99, 1, 1, 2, 1.09, 1, 1];
    expect(widths).toEqual(
      multiples.map((multiple) => expect.closeTo((multiple * widths[0]!) / 2, 6)),
    );
    expect(textBoxes(picture).map(({ text }) => text)).toContain("1×, 3 commands, 7,256 bytes");
  });

  test("the storm has a panel for each crowd that was denied at once, and its arrivals", () => {
    const picture = draw("retry-storm");
    expect(titleOf(picture)).toBe(
      "100 % of a crowd come back within a second without jitter, 10 % with retryJitter 0.5",
    );
    const panels = [...picture.querySelectorAll(":scope > svg")];
    const groups = panels.map((panel) =>
      [...panel.querySelectorAll('[aria-label="rect"] rect')].filter(
        (bar) => Number(bar.getAttribute("height")) > 0,
      ),
    );
    expect(groups.map(({ length }) => length)).toEqual([1, 2, 10]);
  });

  test("a lost Redis has a panel for each limiter, with the outage behind it", () => {
    const picture = draw("redis-lost");
    expect(titleOf(picture)).toBe(
      "While Redis is gone, 0 % of requests fail with Tidegate, 100 % with @upstash/ratelimit",
    );
    for (const panel of picture.querySelectorAll(":scope > svg")) {
      const [outage, pieces] = panel.querySelectorAll('[aria-label="rect"]');
      const band = outage!.querySelector("rect")!;
      const lost = pieces!.querySelectorAll("rect")[3 * 3]!;
      expect(Number(band.getAttribute("x"))).toBeCloseTo(Number(lost.getAttribute("x")), 0);
      expect(Number(band.getAttribute("width"))).toBeCloseTo(
        3 * Number(lost.getAttribute("width")),
        0,
      );
    }
  });
});

test("the scenes' table has the alternatives to Tidegate, where they do better too", () => {
  expect(sceneTable(results.scenes).map((cells) => cells.slice(1))).toEqual([
    ["with Tidegate", "beside it"],
    ["0.5 ms, known to the isolate", "2 ms, with a call of Redis"],
    ["40", "200, counted per isolate"],
    ["100, `segmented-window`", "200, `fixed-window`"],
    ["10 %, `retryJitter: 0.5`", "100 %, no jitter"],
    ["25 s", "20 s"],
    ["0 of 150", "150 of 150, @upstash/ratelimit"],
    ["60 ms", "45 ms"],
    ["400 ms", "250 ms"],
  ]);
});

test("the page tells each scene below a heading, with its figures and where jitter is lost", () => {
  const { document } = new JSDOM(pageOf(results)).window;
  const headings = [...document.querySelectorAll("h3")];
  const told = headings.map(({ nextElementSibling: text }) => [
    text!.tagName,
    text!.nextElementSibling!.querySelector("svg")!.getAttribute("aria-label"),
  ]);
  const pictures = Object.values(SCENE_PICTURES).map((draw) => titleOf(parseSvg(draw(results))));
  expect(told).toEqual(pictures.map((title) => ["P", title]));
  const text = document.body.textContent.replaceAll(/\s+/g, " ");
  expect(text).toContain(
    "After a lockout of 2 s, 10 % of jitter leave 87.5 % of a crowd together on average, and 100 %",
  );
  expect(text).toContain("took 60 ms with Tidegate and 45 ms with the peer");
  expect(text).not.toMatch(/undefined|NaN/);
});

test("a report of results without a scene says which one, and writes nothing", async () => {
  const folder = await mkdtemp(join(tmpdir(), "surge-"));
  try {
    const { retryStorm: _, ...scenes } = results.scenes;
    const part = { ...results, scenes } as SurgeResults;
    await expect(writeReport(join(folder, "surge.json"), part)).rejects.toThrow(
      "the results of the surge lack retryStorm: run `npm run surge`",
    );
    expect(await readdir(folder)).toEqual([]);
  } finally {
    await rm(folder, { recursive: true });
  }
});
