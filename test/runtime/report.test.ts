import { afterEach, expect, test, vi } from "vitest";

import { report } from "../../src/report.ts";

afterEach(() => void vi.restoreAllMocks());

test("a message is one warning that begins with the product's name, and nothing else", () => {
  const warn = vi.spyOn(console, "warn").mockReturnValue();
  report("something happened");
  expect(warn.mock.calls).toEqual([["tidegate: something happened"]]);
});
