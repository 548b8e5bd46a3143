import { wholeUnits } from "../../algorithms/model.ts";
import { EXTEND, REFUND } from "../../algorithms/scripts.generated.ts";
import type { HoldCalls } from "./script-calls.ts";
import { scriptOf } from "./script.ts";
import { argumentsOf, lettersOf } from "./store.ts";

const refundScript = /* @__PURE__ */ scriptOf(REFUND);
const extendScript = /* @__PURE__ */ scriptOf(EXTEND);

/** For limiters with holds, and with partitions on several masters. */
export const HOLDS: HoldCalls = {
  argumentsFor(policies, { id, ttlUs }, roles) {
    const hasSlots = policies.some(({ implementation }) => implementation.hasSlots);
    return hasSlots ? [lettersOf(policies), id, `${ttlUs}`] : roles;
  },

  open: (run) => ({
    async refund(keys, costs, policies, { nowUs }, slot) {
      const more = slot ? HOLDS.argumentsFor(policies, slot, []) : [];
      const args = [`${nowUs}`, ...argumentsOf(costs, policies), ...more];
      const [, ...refunded] = await run(refundScript, keys, args, 1 + keys.length);
      return refunded.map((each, i) => wholeUnits(each, policies[i]!.parameters));
    },

    async extend(keys, policies, { id, ttlUs }) {
      const kept = policies.map(() => true);
      const own = policies.flatMap(({ implementation }, i) => (implementation.hasSlots ? [i] : []));
      if (own.length === 0) return kept;
      const ttls = own.map((i) => `${policies[i]!.parameters["ttlUs"]}`);
      const args = [id, `${ttlUs}`, ...ttls];
      const reply = await run(
        extendScript,
        own.map((i) => keys[i]!),
        args,
        1 + own.length,
      );
      own.forEach((index, i) => (kept[index] = reply[i + 1] === 1));
      return kept;
    },
  }),
};
