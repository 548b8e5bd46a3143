import { expect, test } from "vitest";

import { createTrust } from "../../src/features/replica/trust.ts";

test("a replica is asked from the first moment on, and believed for a minute after the primary has confirmed it", () => {
  const trust = createTrust();
  expect(trust.asks(0)).toBe(true);
  expect(trust.believes(0)).toBe(false);
  trust.confirm(1_000);
  expect(trust.believes(60_999)).toBe(true);
  expect(trust.believes(61_000)).toBe(false);
  expect(trust.asks(61_000)).toBe(true);
});

test("a replica that was wrong is not asked for a minute, and then not believed until it is confirmed anew", () => {
  const trust = createTrust();
  trust.confirm(0);
  trust.refute(1_000);
  expect(trust.believes(1_000)).toBe(false);
  expect(trust.asks(60_999)).toBe(false);
  expect(trust.asks(61_000)).toBe(true);
  expect(trust.believes(61_000)).toBe(false);
  trust.confirm(61_000);
  expect(trust.believes(61_000)).toBe(true);
});
