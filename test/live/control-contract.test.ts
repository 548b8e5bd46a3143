import { describe, inject } from "vitest";

import { liveStoreOver, storageOver } from "../../src/store/control/control-over.ts";
import { keptControl } from "../../src/store/control/kept-control.ts";
import { connectionTo } from "../../src/store/control/redis/connection.ts";
import { redisLiveStore } from "../../src/store/control/redis/live-store.ts";
import { storageOf } from "../../src/store/control/redis/storage.ts";
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
    const kept = new Map<string, unknown>();
    const control = keptControl(
      {
        get: (name) => structuredClone(kept.get(name)),
        put: (name, value) => void kept.set(name, structuredClone(value)),
        delete: (name) => kept.delete(name),
        list({ prefix, reverse = false, limit = Infinity, end = "~" }) {
          const names = [...kept.keys()].filter((name) => name.startsWith(prefix) && name < end);
          const sorted = reverse ? names.toSorted().toReversed() : names.toSorted();
          return sorted
            .slice(0, limit)
            .map((name) => [name, structuredClone(kept.get(name))] as const);
        },
      },
      () => Date.now(),
    );
    const call = async (name: keyof typeof control, ...args: readonly unknown[]) =>
      structuredClone((control[name] as (...given: readonly unknown[]) => unknown)(...args));
    return {
      live: liveStoreOver(call as never, "none"),
      storage: storageOver(call as never),
    };
  });
});
