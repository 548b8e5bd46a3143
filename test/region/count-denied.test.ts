import { expect, test } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { fixedWindow, memoryStore } from "../../src/index.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import { compile } from "../support/compile-policy.ts";

test("a store hears of what the isolate denied by itself, and of nothing else", async () => {
  const noted: unknown[] = [];
  const store = {
    ...memoryStore(),
    noteDenied: (keys: readonly string[], costs: readonly number[]) =>
      void noted.push([keys, costs]),
  };
  const policies = compile([fixedWindow({ name: "p", limit: 1, window: "1h" })]);
  const limiter = buildLimiter(store, { ...DEFAULTS, policies }, EVERY_FEATURE);
  const reasons = [];
  for (let i = 0; i < 2; i++) reasons.push((await limiter.limit("a")).reason);
  expect(reasons).toEqual(["allowed", "cached-denial"]);
  expect(noted).toEqual([[[`tg:{a}:${policies[0]!.key}`], [1]]]);
});
