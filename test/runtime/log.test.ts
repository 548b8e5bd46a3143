import { afterEach, expect, test, vi } from "vitest";

import { report, reportOnce } from "../../src/runtime/log.ts";

afterEach(() => void vi.restoreAllMocks());

test("a message is one warning that begins with the product's name, and nothing else", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  report("something happened");
  expect(warn.mock.calls).toEqual([["tidegate: something happened"]]);
});

test("what is reported once is one warning, however often it happens", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  for (const what of ["this", "that", "this", "that"]) reportOnce(`${what} happened`);
  expect(warn.mock.calls).toEqual([["tidegate: this happened"], ["tidegate: that happened"]]);
});

test("no more than a hundred different things are reported once", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  for (let i = 0; i < 200; i++) reportOnce(`${i} happened`);
  // Two were reported before.
  expect(warn).toHaveBeenCalledTimes(98);
});
