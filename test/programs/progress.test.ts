import { PassThrough } from "node:stream";

import { describe, expect, test } from "vitest";

import { createEstimate } from "../../scripts/support/progress/estimate.ts";
import { progressLine } from "../../scripts/support/progress/line.ts";
import { startProgress } from "../../scripts/support/progress/progress.ts";
import { random } from "../support/random.ts";

const STAGES = [
  { name: "first", expectedMs: 10_000 },
  { name: "second", expectedMs: 30_000 },
];

describe("the estimate of a run", () => {
  function estimated() {
    let nowMs = 5_000;
    const estimate = createEstimate(STAGES, () => nowMs);
    const pass = (ms: number) => (nowMs += ms);
    return { estimate, pass };
  }

  test("is of the whole run, and not of the stage under way", () => {
    const { estimate, pass } = estimated();
    estimate.begin("first");
    expect(estimate.state()).toEqual({ share: 0, leftMs: 40_000 });
    pass(5_000);
    expect(estimate.state()).toEqual({ share: 0.125, leftMs: 35_000 });
    pass(5_000);
    estimate.begin("second");
    expect(estimate.state()).toEqual({ share: 0.25, leftMs: 30_000 });
  });

  test("learns the speed of this machine from the finished stages", () => {
    const { estimate, pass } = estimated();
    estimate.begin("first");
    pass(20_000);
    estimate.begin("second");
    expect(estimate.state()).toEqual({ share: 0.25, leftMs: 60_000 });
    pass(30_000);
    estimate.reach(0.5);
    expect(estimate.state()).toEqual({ share: 0.625, leftMs: 30_000 });
  });

  test("trusts the share that a stage tells more than its time", () => {
    const { estimate, pass } = estimated();
    estimate.begin("first");
    pass(8_000);
    estimate.reach(0.2);
    expect(estimate.state()).toEqual({ share: 0.05, leftMs: 152_000 });
  });

  test("never ends, and never goes back, before the run does", () => {
    const { estimate, pass } = estimated();
    for (const { name } of STAGES) {
      let before = 0;
      estimate.begin(name);
      for (let second = 0; second < 600; second++) {
        pass(1_000);
        const { share, leftMs } = estimate.state();
        expect(share).toBeGreaterThanOrEqual(before);
        expect(share).toBeLessThan(1);
        expect(leftMs).toBeGreaterThan(0);
        before = share;
      }
    }
    estimate.end();
    expect(estimate.state()).toEqual({ share: 1, leftMs: 0 });
  });
});

describe("the line of a run", () => {
  const state = { share: 0.42, leftMs: 185_000, stage: "workerd, 5 of 7", note: "denied 20 of 41" };

  test("has the share, the time left, the stage, and its current step", () => {
    expect(progressLine(state, 80)).toMatch(
      /^\[=+ +\] {2}42 % {2}about 3 min 5 s left {2}workerd, 5 of 7 {2}denied 20 of 41$/,
    );
  });

  test("fits into any terminal, and leaves out whole words before it cuts one", () => {
    const next = random(1);
    for (let columns = 20; columns <= 200; columns++) {
      const drawn = {
        share: next(),
        leftMs: next() * 10 ** (7 * next()),
        stage: "upstashSlidingWindow, 6 of 11",
        note: "22,290 sent, 1,882 allowed, 0 denied, 20,408 failed",
      };
      const line = progressLine(drawn, columns);
      expect(line.length).toBeLessThan(columns);
      expect(line).toMatch(/^(\[=* *\] {2})?\d+ %( {2}about (\d+ (s|min|h) ?)+ left)?( {2}|$)/);
      const words = line.split("  ").filter((word) => /^[a-zA-Z]|sent/.test(word));
      const whole = ["about", drawn.stage, drawn.note];
      expect(words.filter((word) => !whole.some((each) => word.startsWith(each)))).toEqual([]);
    }
  });

  test.each([
    [0, "0 s"],
    [59_400, "59 s"],
    [59_600, "1 min 0 s"],
    [3_600_000, "1 h 0 min"],
    [7_384_000, "2 h 3 min"],
  ])("says %i ms as %s", (leftMs, text) => {
    expect(progressLine({ ...state, leftMs }, 120)).toContain(`about ${text} left`);
  });
});

describe("the bar of a run", () => {
  function played(terminal: { readonly isTTY: boolean; readonly columns?: number }): string {
    const stream = Object.assign(new PassThrough(), terminal);
    let nowMs = 0;
    const progress = startProgress(STAGES, { stream, now: () => nowMs });
    for (const { name } of STAGES) {
      progress.begin(name);
      nowMs += 10_000;
      progress.tell("something happens, and it takes many words to say what it is", 0.5);
    }
    progress.end();
    return String(stream.read());
  }

  test("is one on a terminal, without a line that is wrapped at 80 columns", () => {
    const text = played({ isTTY: true, columns: 80 });
    // oxlint-disable-next-line no-control-regex
    const lines = text.split(/\n|\u001B(?:\[[\d;?]*[A-Za-z]|[78])/).filter((line) => line !== "");
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.filter((line) => line.length > 79)).toEqual([]);
    expect(lines.at(-1)).toMatch(/100 %/);
    expect(text.match(/\n/g)).toHaveLength(1);
    // A hidden cursor stays hidden when a run is ended.
    expect(text).not.toContain("\u001B[?25l");
  });

  test("is a line for each stage elsewhere, without a code of a terminal", () => {
    expect(played({ isTTY: false })).toBe(
      "first, 1 of 2, about 40 s left\nsecond, 2 of 2, about 30 s left\n",
    );
  });
});
