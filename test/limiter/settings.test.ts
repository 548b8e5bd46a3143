import { expect, test } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import type { LimiterOptions } from "../../src/limiter/options.ts";
import { checkSettings, DEFAULTS } from "../../src/limiter/settings.ts";
import { Faults } from "../../src/options/faults.ts";
import { fixedWindow } from "../support/limiter/plain.ts";

const policies = [fixedWindow({ limit: 10, window: "1m" })];

function settingsOf(options: Partial<LimiterOptions>) {
  const faults = new Faults();
  const { policies: _, ...settings } = checkSettings(
    { policies, ...options },
    EVERY_FEATURE,
    faults,
  );
  faults.throwIfAny();
  return settings;
}

test("options left out have their defaults", () => {
  expect(settingsOf({})).toEqual({
    plans: new Map(),
    prefix: "tg",
    onFailure: "local",
    maxDenials: 10_000,
    headers: {},
    random: DEFAULTS.random,
    now: DEFAULTS.now,
  });
});

test("given options hold", () => {
  expect(
    settingsOf({
      prefix: "shop",
      onFailure: "closed",
      denialCache: { maxEntries: 7 },
      headers: { "draft-11": false },
    }),
  ).toEqual({
    plans: new Map(),
    prefix: "shop",
    onFailure: "closed",
    maxDenials: 7,
    headers: { "draft-11": false },
    random: DEFAULTS.random,
    now: DEFAULTS.now,
  });
  expect(settingsOf({ denialCache: false }).maxDenials).toBe(0);
});

test("lease and retryJitter are those of each policy that has none of its own", () => {
  const own = { name: "own", by: "key", lease: "200ms", retryJitter: 0.5 } as const;
  const { policies: checked } = checkSettings(
    {
      policies: [
        fixedWindow({ name: "shared", by: "ip", limit: 10, window: "1m" }),
        fixedWindow({ ...own, limit: 10, window: "1m" }),
      ],
      lease: "100ms",
      retryJitter: 0.1,
    },
    EVERY_FEATURE,
    new Faults(),
  );
  expect(checked.map(({ leaseUs, retryJitter }) => [leaseUs, retryJitter])).toEqual([
    [100_000, 0.1],
    [200_000, 0.5],
  ]);
});
