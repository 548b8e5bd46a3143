import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { LimiterOptions } from "../../src/limiter/options.ts";
import { checkSettings, DEFAULTS } from "../../src/limiter/settings.ts";
import { Faults } from "../../src/options/faults.ts";

const policies = [fixedWindow({ limit: 10, window: "1m" })];

function settingsOf(options: Partial<LimiterOptions>) {
  const faults = new Faults();
  const { policies: _, ...settings } = checkSettings({ policies, ...options }, faults);
  faults.throwIfAny();
  return settings;
}

test("what the options leave open has a default", () => {
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

test("what they say holds", () => {
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
