import { wholeUnits } from "../../algorithms/model.ts";
import { EXTEND, LEASE, REFUND, TAKE } from "../../algorithms/scripts.generated.ts";
import { unbounded, withAccounts } from "../lease-accounts.ts";
import type { HoldCalls, LeaseCalls, TakeCalls } from "./script-calls.ts";
import { scriptOf } from "./script.ts";
import { argumentsOf, lettersOf, parseReply, replyLength } from "./store.ts";

/** For the home of regions. The reply ends with the units that each policy gave, and the waits for one more. */
export const TAKES: TakeCalls = {
  script: TAKE,

  async take(run, script, keys, args, orders) {
    const sent = [
      ...args,
      ...orders.flatMap(({ most, need, owed }) => [most, need, owed].map(String)),
    ];
    const { length } = keys;
    const end = 1 + 4 * length;
    const numbers = await run(script, keys, sent, end + 2 * length);
    return {
      ...parseReply(numbers.slice(0, end)),
      taken: numbers.slice(end, end + length),
      againUs: numbers.slice(end + length),
    };
  },
};

/** For limiters with leases. The reply ends with the units that the lease took, and the epochs of their accounts. */
export const LEASES: LeaseCalls = {
  script: LEASE,

  async take(run, script, keys, args, policies, [roles = ""], request = unbounded(policies)) {
    const { own, bounds, spent } = request;
    const sent = [
      ...args,
      roles,
      `${own}`,
      ...bounds.flatMap(({ most, periodUs }) => [`${most}`, `${periodUs}`]),
      ...spent.flatMap(({ units, epochs }) => [units, epochs].flat().map(String)),
    ];
    const { length } = policies;
    const end = replyLength(policies);
    const charges = roles === "" ? 0 : length;
    const numbers = await run(script, withAccounts(keys), sent, end + 1 + length + charges);
    const [leased, ...tail] = numbers.slice(end);
    return {
      ...parseReply(numbers.slice(0, end)),
      leased: leased!,
      epochs: tail.slice(0, length),
      ...(charges > 0 && { charged: tail.slice(length) }),
    };
  },
};

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
