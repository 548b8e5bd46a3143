import { afterEach, expect, test, vi } from "vitest";

import { report, reportOnce, requestReporter } from "../../src/runtime/log.ts";

afterEach(() => void vi.restoreAllMocks());

test("a message is one warning that begins with the product's name, and nothing else", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  report("something happened");
  expect(warn.mock.calls).toEqual([["tidegate: something happened"]]);
});

test("a fault that is reported once is one warning, however often it happens", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  for (const what of ["this", "that", "this", "that"]) reportOnce(`${what} happened`);
  expect(warn.mock.calls).toEqual([["tidegate: this happened"], ["tidegate: that happened"]]);
});

test("no more than a hundred different things are reported once", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  for (let i = 0; i < 200; i++) reportOnce(`${i} happened`);
  expect(warn).toHaveBeenCalledTimes(100);
});

test("an event of requests is one warning a minute, with how often it happened since the last one", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  let nowMs = 5_000;
  const reportLate = requestReporter(() => nowMs);
  const happen = (times: number) => {
    for (let i = 0; i < times; i++) reportLate("the origin was late");
  };
  happen(3);
  nowMs += 59_999;
  happen(4);
  nowMs += 1;
  happen(1);
  nowMs += 60_000;
  happen(1);
  expect(warn.mock.calls.flat()).toEqual([
    "tidegate: the origin was late: 1 request since the last such line.",
    "tidegate: the origin was late: 7 requests since the last such line.",
    "tidegate: the origin was late: 1 request since the last such line.",
  ]);
});
