import { expect, test, vi } from "vitest";

import { StoreError } from "../../src/errors/errors.ts";
import { fixedWindow, memoryStore } from "../../src/index.ts";
import { EVERY_FEATURE } from "../../src/limiter/every-feature.ts";
import { buildLimiter } from "../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../src/limiter/settings.ts";
import type { Store } from "../../src/store/store.ts";
import { FUTURE } from "../support/algorithm-script.ts";
import { compile } from "../support/compile-policy.ts";

test("a store that does not answer withdraws no denial that others may have published", async () => {
  let nowUs = FUTURE;
  let isSilent = false;
  const memory = memoryStore({ now: () => nowUs });
  const store: Store = {
    ...memory,
    async decide(...request) {
      if (isSilent) throw new StoreError("ERR_STORE_TIMEOUT", "silent");
      return memory.decide(...request);
    },
  };
  const shared = { read: vi.fn(async () => undefined), publish: vi.fn(), forget: vi.fn() };
  const settings = {
    ...DEFAULTS,
    policies: compile([fixedWindow({ limit: 1, window: "1h" })]),
    now: () => nowUs / 1000,
    sharedDenials: { share: () => shared },
  };
  const limiter = buildLimiter(store, settings, EVERY_FEATURE);
  // Admitted, denied by the store, and denied by the isolate.
  for (let i = 0; i < 3; i++) await limiter.limit("ada");
  nowUs += 3600e6;
  isSilent = true;
  expect((await limiter.limit("ada")).reason).toBe("store-unavailable");
  expect(shared.read).toHaveBeenCalledOnce();
  expect([shared.publish.mock.calls, shared.forget.mock.calls]).toEqual([[], []]);
});
