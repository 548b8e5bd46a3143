import { expect, test } from "vitest";

import { firstContactMs } from "../../src/store/first-contact.ts";

test.each([
  [1, 4],
  [250, 1_000],
  [400, 1_000],
  [1_000, 1_000],
  [5_000, 5_000],
])(
  "with a timeout of %i ms the first answer is awaited for %i ms: never shorter than a later one",
  (timeoutMs, firstMs) => {
    expect(firstContactMs(timeoutMs)).toBe(firstMs);
  },
);
