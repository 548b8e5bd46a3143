import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { DEFAULTS } from "../../../src/limiter/settings.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { memoryStore } from "../../../src/store/memory-store.ts";
import type { Store } from "../../../src/store/store.ts";
import { compile } from "../redis/tidegate.ts";
import type { CreateContender } from "./contender.ts";

/** The product's limiter over the model that its Lua is checked against. */
export function tidegate(policy: Policy): CreateContender {
  return ({ time, travel }, { isolates, cache }) => {
    let calls = 0;
    const model = memoryStore({ now: () => time.now() });
    const policies = compile([policy]);
    const distant: Store = {
      async decide(...request) {
        calls++;
        await travel();
        const reply = await model.decide(...request);
        await travel();
        return reply;
      },
      reset: () => {},
    };
    const settings = {
      ...DEFAULTS,
      policies,
      maxDenials: cache ? DEFAULTS.maxDenials : 0,
      now: () => time.now() / 1000,
    };
    const limiters = Array.from({ length: isolates }, () => buildLimiter(distant, settings));
    // Only its keys differ: it sees the model at once.
    const witness = buildLimiter(model, { ...settings, maxDenials: 0 });

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
