import { Ratelimit } from "@upstash/ratelimit";
import type { Redis } from "ioredis";

import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { shareDenials } from "../../../src/features/shared-denials-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../../src/limiter/settings.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";
import { distantStore } from "../../../test/denials/distant-store.ts";
import { nearbyCache } from "../../../test/denials/nearby-cache.ts";
import { compile } from "../../../test/support/compile-policy.ts";
import type { VirtualTime } from "../../../test/support/virtual-time.ts";

/** The way to the store and back, in virtual time. */
export interface Network {
  readonly time: VirtualTime;
  /** Waits for one way. */
  travel(): Promise<void>;
  /** Waits for one way to a cache in the same data centre. */
  stroll(): Promise<void>;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Whether the isolate denied without the store. */
  readonly local: boolean;
}

/** Isolates of one limiter in front of one store. */
export interface Contender {
  /** Calls of the store so far. */
  readonly calls: number;
  limit(identity: string, isolate: number): Promise<Verdict>;
  /** Whether the store would admit this identity now. */
  wouldAdmit(identity: string): boolean | Promise<boolean>;
}

export interface ContenderOptions {
  readonly isolates: number;
  /** Whether isolates remember denials. */
  readonly cache: boolean;
}

export type CreateContender = (network: Network, options: ContenderOptions) => Contender;

export interface TidegateOptions {
  /** Whether the isolates share their denials, through a cache of their data centre. */
  readonly share?: boolean;
}

/** The product's limiter over the model that its Lua is checked against. */
export function tidegate(policy: Policy, { share = false }: TidegateOptions = {}): CreateContender {
  return ({ time, travel, stroll }, { isolates, cache }) => {
    let calls = 0;
    const sharedDenials = shareDenials(nearbyCache(stroll));
    const model = openMemoryStore({ now: () => time.now() });
    const policies = compile([policy]);
    const distant = distantStore(model, travel, () => calls++);
    const settings = {
      ...DEFAULTS,
      policies,
      maxDenials: cache ? DEFAULTS.maxDenials : 0,
      now: () => time.now() / 1000,
      ...(share && { sharedDenials }),
    };
    const limiters = Array.from({ length: isolates }, () =>
      buildLimiter(distant, settings, EVERY_FEATURE),
    );
    // Only its keys differ: it sees the model at once.
    const witness = buildLimiter(model, { ...settings, maxDenials: 0 }, EVERY_FEATURE);

    return {
      get calls() {
        return calls;
      },
      async limit(identity, isolate) {
        const { allowed, reason } = await limiters[isolate]!.limit(identity);
        return { allowed, local: reason === "cached-denial" };
      },
      wouldAdmit: async (identity) => (await witness.peek(identity)).allowed,
    };
  };
}

type Limiter = ReturnType<typeof Ratelimit.tokenBucket>;

let runs = 0;

/** Its own script on a real Redis; it takes the time from the client, and so from the virtual clock. */
export function upstash(redis: Redis, limiter: Limiter): CreateContender {
  return ({ time, travel }, { isolates, cache }) => {
    let calls = 0;
    const prefix = `run-${++runs}`;
    const distant = {
      evalsha: async () => {
        throw new Error("NOSCRIPT");
      },
      async eval(script: string, keys: string[], args: unknown[]) {
        calls++;
        await travel();
        const plain = script.replace(/^#!lua.*\n/, "");
        const reply = await time.hold(redis.eval(plain, keys.length, ...keys, ...args.map(String)));
        await travel();
        return reply;
      },
    };
    const limiters = Array.from(
      { length: isolates },
      () =>
        new Ratelimit({
          redis: distant as never,
          limiter,
          prefix,
          timeout: 0,
          ...(!cache && { ephemeralCache: false }),
        }),
    );
    return {
      get calls() {
        return calls;
      },
      async limit(identity, isolate) {
        const { success, reason } = await limiters[isolate]!.limit(identity);
        return { allowed: success, local: reason === "cacheBlock" };
      },
      wouldAdmit: () => false,
    };
  };
}
