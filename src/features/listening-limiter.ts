import type { Reserve } from "../decide/hold.ts";
import type { Limiter } from "../decide/limiter-types.ts";
import type { DecisionListener } from "./decision-listener.ts";

/** A limiter that reports each of its decisions to a listener. */
export function withListener<Given extends Limiter & Partial<Reserve>>(
  limiter: Given,
  listener: DecisionListener,
): Given {
  const { reserve } = limiter;
  return {
    ...limiter,
    async limit(identity, options) {
      const decision = await limiter.limit(identity, options);
      listener(decision, { operation: "limit", identity });
      return decision;
    },
    async peek(identity, options) {
      const decision = await limiter.peek(identity, options);
      listener(decision, { operation: "peek", identity });
      return decision;
    },
    async charge(identity, cost, options) {
      const decision = await limiter.charge(identity, cost, options);
      listener(decision, { operation: "charge", identity });
      return decision;
    },
    ...(reserve && {
      async reserve(identity, options) {
        const hold = await reserve(identity, options);
        listener(hold, { operation: "reserve", identity });
        return hold;
      },
    }),
  };
}
