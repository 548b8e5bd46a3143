import { expect, test } from "vitest";

import { createLimiter, day, fixedWindow } from "../../src/index.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { expectedOf, KNOWN, windowOf } from "../support/calendar/known.ts";

test.for(KNOWN)("%s has a %s (%i) from %s to %s", (known) => {
  expect(windowOf(known)).toEqual(expectedOf(known));
});

test("a limiter in the Edge runtime counts by the calendar", async () => {
  let nowUs = Date.parse("2026-10-25T22:59:00Z") * 1000;
  const limiter = createLimiter({
    store: openMemoryStore({ now: () => nowUs }),
    policies: [fixedWindow({ limit: 1, window: day({ timeZone: "Europe/Berlin" }) })],
  });
  expect((await limiter.limit("u")).allowed).toBe(true);
  expect((await limiter.limit("u")).retryAfterMs).toBe(60_000);
  nowUs += 60e6;
  expect((await limiter.limit("u")).allowed).toBe(true);
});
