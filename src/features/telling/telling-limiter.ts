import type { Operations, Reserve } from "../../decide/limiter.ts";
import type { Tell } from "./tell-decision.ts";

/** A limiter that reports each of its decisions to a listener. */
export function withTelling<Given extends Operations & Partial<Reserve>>(
  limiter: Given,
  tell: Tell,
): Given {
  const { reserve } = limiter;
  return {
    ...limiter,
    async limit(identity, options) {
      const decision = await limiter.limit(identity, options);
      tell(decision, { operation: "limit", identity });
      return decision;
    },
    async peek(identity, options) {
      const decision = await limiter.peek(identity, options);
      tell(decision, { operation: "peek", identity });
      return decision;
    },
    async charge(identity, cost, options) {
      const decision = await limiter.charge(identity, cost, options);
      tell(decision, { operation: "charge", identity });
      return decision;
    },
    ...(reserve && {
      async reserve(identity, options) {
        const hold = await reserve(identity, options);
        tell(hold, { operation: "reserve", identity });
        return hold;
      },
    }),
  };
}
