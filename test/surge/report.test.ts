import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { JSDOM } from "jsdom";
import { describe, expect, test } from "vitest";

import { apart } from "../../bench/plot/end-labels.ts";
import { magnitudes } from "../../bench/plot/magnitudes.ts";
import { balance, wrap } from "../../bench/plot/text-width.ts";
import { lengthOf, PHASES } from "../../bench/surge/people/phases.ts";
import { pageOf } from "../../bench/surge/report/page.ts";
import { PICTURES } from "../../bench/surge/report/pictures/pictures.ts";
import { writeReport } from "../../bench/surge/report/report.ts";
import { tableOf } from "../../bench/surge/report/table.ts";
import { SETUPS, type SurgeResults } from "../../bench/surge/results.ts";
import { expectPicture } from "../docs/expect-picture.ts";
import { parseSvg, textBoxes } from "../docs/text-boxes.ts";
import { results } from "./results.ts";

const seconds = Object.fromEntries(SETUPS.map((name) => [name, []])) as never;
const nothing = { ...results, seconds };

function draw(name: string): SVGSVGElement {
  return parseSvg(PICTURES[name]!(results));
}

function pageFor(given: SurgeResults): { source: string; document: Document } {
  const source = pageOf(given);
  return { source, document: new JSDOM(source).window.document };
}

describe("the pictures of a surge", () => {
  test.each(Object.keys(PICTURES))("%s has a message, and no text beyond its edges", (name) => {
    expectPicture(PICTURES[name]!(results));
  });

  test.each(Object.keys(PICTURES))("%s is drawn from a run without a second too", (name) => {
    expect(() => parseSvg(PICTURES[name]!(nothing))).not.toThrow();
  });

  test("the outcomes have a panel for each set-up, with three kinds in each second", () => {
    const panels = draw("outcomes").querySelectorAll(":scope > svg");
    expect(panels).toHaveLength(SETUPS.length);
    for (const panel of panels) {
      const pieces = panel.querySelectorAll('[aria-label="rect"]');
      const kinds = [...pieces[1]!.children].map((piece) => piece.getAttribute("fill"));
      expect(kinds).toHaveLength((3 * lengthOf(PHASES)) / 1000);
      expect(new Set(kinds).size).toBe(3);
    }
  });

  test("the latency has two lines with their bands, broken where no request was served", () => {
    const picture = draw("latency");
    expect(picture.querySelectorAll('[aria-label="area"] path')).toHaveLength(2);
    const lines = [...picture.querySelectorAll('[aria-label="line"] path')];
    expect(lines.map((line) => line.getAttribute("d")!.match(/M/g)!.length)).toEqual([2, 2]);
  });

  test("the queue has a line for each set-up, and labels that do not cover each other", () => {
    const picture = draw("queue");
    expect(picture.querySelectorAll('[aria-label="line"] path')).toHaveLength(SETUPS.length);
    const labels = textBoxes(picture.querySelector('[aria-label="text"]')!);
    const bottoms = labels.map(({ bottom }) => bottom).sort((a, b) => a - b);
    expect(bottoms).toHaveLength(SETUPS.length);
    for (const [i, bottom] of bottoms.slice(1).entries()) {
      expect(bottom - bottoms[i]!).toBeGreaterThanOrEqual(14);
    }
  });

  test("the riders have a bar for each set-up, as long as the number of served riders", () => {
    const bars = [...draw("riders").querySelectorAll('[aria-label="bar"] rect')];
    const widths = bars.map((bar) => Number(bar.getAttribute("width")));
    const served = SETUPS.map((name) => results[name].ridersServed);
    const perRider = widths[0]! / served[0]!;
    expect(widths).toEqual(served.map((count) => expect.closeTo(count * perRider, 6)));
  });
});

describe("the page of a surge", () => {
  test("has all figures in a table with matching headings", () => {
    const { document } = pageFor(results);
    const rows = [...document.querySelectorAll("tr")].map((row) =>
      [...row.children].map((cell) => cell.textContent),
    );
    expect(rows).toEqual(tableOf(results));
    expect(document.querySelectorAll("thead th[scope=col]")).toHaveLength(SETUPS.length + 2);
    expect(document.querySelectorAll("tbody th[scope=row]")).toHaveLength(rows.length - 1);
  });

  test("names the set-ups of the run, and its machine", () => {
    const text = pageFor(results).document.body.textContent.replaceAll(/\s+/g, " ");
    expect(text).toMatch(
      /1,000 virtual riders, \d+ patient and \d+ impatient, beside scripts that poll \(2\)/,
    );
    expect(text).toContain("a share of 0.5 of the incident's riders, with the seed 7");
    expect(text).toContain("AMD EPYC, 2 cores, Node v24.21.0, with a load average of 0.97");
    expect(text).toContain("coordinated omission");
    expect(text).toContain("0.19 a second each");
  });

  test("has one heading of the first level, and each picture", () => {
    const { document } = pageFor(results);
    expect(document.querySelectorAll("h1")).toHaveLength(1);
    expect(document.querySelectorAll("figure > svg")).toHaveLength(Object.keys(PICTURES).length);
  });

  test("opens by itself: it loads no other file, and runs no code", () => {
    const { source, document } = pageFor(results);
    expect(document.querySelectorAll("[src], [href], link, script, iframe")).toHaveLength(0);
    expect(source).not.toMatch(/@import|url\(/);
    expect(source.replaceAll(/ xmlns(:\w+)?="[^"]*"/g, "")).not.toMatch(/\/\//);
  });

  test("uses no id twice", () => {
    const ids = [...pageFor(results).document.querySelectorAll("[id]")].map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("shows hostile text as text", () => {
    const hostile = `"'><script>alert(1)</script>&amp;`;
    const machine = { ...results.machine, processor: hostile, node: hostile };
    const { document } = pageFor({ ...results, machine, date: hostile });
    expect(document.querySelectorAll("script")).toHaveLength(0);
    expect(document.body.textContent.split(hostile)).toHaveLength(3);
    expect(document.querySelector("time")!.getAttribute("datetime")).toBe(hostile);
  });
});

test("the report is written beside the results", async () => {
  const folder = await mkdtemp(join(tmpdir(), "surge-"));
  try {
    await writeReport(join(folder, "surge.json"), results);
    expect((await readdir(folder)).sort()).toEqual([
      "surge-boundary-burst.svg",
      "surge-deploy-amnesia.svg",
      "surge-latency.svg",
      "surge-outcomes.svg",
      "surge-queue.svg",
      "surge-redis-lost.svg",
      "surge-retry-storm.svg",
      "surge-riders.svg",
      "surge.html",
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

describe("the scale of magnitudes", () => {
  test.each([
    { values: [12, 4_300], scale: [10, 100, 1_000, 10_000] },
    { values: [100, 100], scale: [100, 1_000] },
    { values: [0, 0.4], scale: [0.1, 1] },
    { values: [], scale: [1, 10] },
  ])("of $values is $scale", ({ values, scale }) => {
    expect(magnitudes(values)).toEqual(scale);
  });
});

describe("text of a picture", () => {
  test("breaks between words, but not between a number and its unit", () => {
    const lines = wrap("of 12 % and 30 ms", { size: 10 }, 40);
    expect(lines).toEqual(["of", "12 %", "and", "30 ms"]);
  });

  test("is balanced over as few lines as it takes", () => {
    const text = "no word of it is to stand alone";
    expect(wrap(text, { size: 10 }, 162)).toEqual(["no word of it is to stand", "alone"]);
    expect(balance(text, { size: 10 }, 162)).toEqual(["no word of it is", "to stand alone"]);
    expect(balance("alone", { size: 10 }, 162)).toEqual(["alone"]);
  });

  test.each([
    { places: [50, 10], moved: [50, 10] },
    { places: [50, 49, 48], moved: [50, 34, 18] },
    { places: [200, 95], moved: [100, 84] },
    { places: [1, 2, 3], moved: [0, 16, 32] },
  ])("labels at $places move to $moved", ({ places, moved }) => {
    expect(apart(places, 16, 0, 100)).toEqual(moved);
  });
});
