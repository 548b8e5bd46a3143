import { describe, inject } from "vitest";

import { connectionTo } from "../../src/store/control/connection.ts";
import { liveStoreOver, storageOver } from "../../src/store/control/control-over.ts";
import { keptControl } from "../../src/store/control/kept-control.ts";
import { redisLiveStore } from "../../src/store/control/live-store.ts";
import { storageOf } from "../../src/store/control/redis-storage.ts";
import { keptValues } from "../support/store/kept-values.ts";
import { controlContract } from "./control-contract.ts";

describe("control data in Redis", () => {
  controlContract(() => {
    const prefix = crypto.randomUUID();
    const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
    return {
      live: redisLiveStore(redis, prefix, 10_000, () => {}),
      storage: storageOf(connectionTo(redis), prefix),
    };
  });
});

describe("control data in memory", () => {
  controlContract(() => {
    const control = keptControl(keptValues(), () => Date.now());
    const call = async (name: keyof typeof control, ...args: readonly unknown[]) =>
      structuredClone((control[name] as (...given: readonly unknown[]) => unknown)(...args));
    return {
      live: liveStoreOver(call as never, "none"),
      storage: storageOver(call as never),
    };
  });
});
