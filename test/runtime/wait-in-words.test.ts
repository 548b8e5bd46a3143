import { expect, test } from "vitest";

import { waitInWords } from "../../src/runtime/wait-in-words.ts";

test.each([
  [1, "1 s"],
  [99, "99 s"],
  [100, "2 minutes"],
  [3_600, "60 minutes"],
  [3_601, "61 minutes"],
  [5_941, "2 hours"],
  [347_653, "97 hours"],
  [356_401, "5 days"],
  [2_678_400, "31 days"],
  [31_536_000, "365 days"],
])("%i seconds are said as %s", (seconds, said) => {
  expect(waitInWords(seconds)).toBe(said);
});
