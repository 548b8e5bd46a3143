import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { shareDenials } from "../../../src/features/share-denials-option.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../../src/limiter/settings.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { openMemoryStore } from "../../../src/store/memory-store.ts";
import { distantStore } from "../../../test/denials/distant-store.ts";
import { nearbyCache } from "../../../test/denials/nearby-cache.ts";
import { compile } from "../../../test/support/compile-policy.ts";
import type { CreateContender } from "./contender.ts";

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
