import type { CompiledPolicy } from "../../../src/policy/compile.ts";
import { burstAboveRate } from "../../support/model/trailing-window.ts";
import { type Account, exceptions, type Moment, type Report, type Take } from "./account.ts";

/** A unit comes back every `intervalUs / divisor`: amounts are in units of 1/divisor microsecond, whole numbers. */
const intervalOf = ({ parameters }: CompiledPolicy) => parameters["intervalUs"]!;
const divisorOf = ({ parameters }: CompiledPolicy) => parameters["divisor"]!;

/** The account of a token bucket. */
export function bucketAccount(report: Report): Account {
  const except = exceptions();
  /** Since the rate has changed last. */
  let admissions: Take[] = [];
  /** The highest limit since then: units taken under it may count. */
  let limit = 0;
  let used = 0;
  let lastUs = 0;
  let inDebt = false;
  /** Whether a charge was cut at the deepest debt since the bucket was last full. */
  let isCut = false;
  /** The limit with which the state was written. */
  let written = 0;

  function ask(policy: CompiledPolicy, now: Moment): void {
    const before = except.changedFrom(policy);
    if (now.backs > 0) except.exact = false;
    if (before) [admissions, limit] = [[], 0];
    limit = Math.max(limit, policy.limit);
    const most = (inDebt ? 2 : 1) * limit * intervalOf(policy);
    used = Math.min(most, usedAt(policy, now));
    if (used === 0) [inDebt, isCut] = [false, false];
    lastUs = now.nowUs;
  }

  const usedAt = (policy: CompiledPolicy, { nowUs }: Moment) =>
    Math.max(0, used - (nowUs - lastUs) * divisorOf(policy));

  function checkBound(policy: CompiledPolicy): void {
    const taken = admissions.map(({ at, units }) => ({ time: at.timeUs, units }));
    const burst = burstAboveRate(taken, 1, divisorOf(policy));
    const most = limit * intervalOf(policy) + except.slack * divisorOf(policy);
    if (burst > most) report(`a span of token-bucket held ${burst} above its rate, not ${most}`);
  }

  /** The refund of a take; 0 where a charge may have been cut since. */
  function dueOf(policy: CompiledPolicy, cost: number, take: Take, now: Moment): number {
    const passed = (now.nowUs - take.at.nowUs) * divisorOf(policy);
    const deepest = 2 * Math.min(policy.limit, written) * intervalOf(policy);
    const isInDoubt = isCut && usedAt(policy, now) + passed >= deepest;
    return isInDoubt ? 0 : Math.max(0, cost * intervalOf(policy) - passed);
  }

  return {
    reserve({ policy, cost, at, hold, allowed, took }) {
      ask(policy, at);
      const [capacity, amount] = [policy.limit * intervalOf(policy), cost * intervalOf(policy)];
      if (except.exact && allowed !== used + amount <= capacity) {
        report(`token-bucket ${allowed ? "admits without" : "denies with"} room for ${cost}`);
      }
      // A look at a cost of 0 by itself writes nothing, and one beside other policies does.
      if (isCut && cost === 0) except.exact = false;
      if (took || used <= (inDebt ? 2 : 1) * capacity) written = policy.limit;
      if (!took || cost === 0) return;
      used += amount;
      inDebt = false;
      admissions.push({ hold, policy, at, changes: except.changes, units: amount });
      checkBound(policy);
    },

    charge({ policy, cost, at }) {
      ask(policy, at);
      const deepest = 2 * policy.limit * intervalOf(policy);
      // More than that may be used under a higher limit.
      if (cost === 0 || used > deepest) return;
      const wanted = used + cost * intervalOf(policy);
      used = Math.min(wanted, deepest);
      written = policy.limit;
      inDebt = used > policy.limit * intervalOf(policy);
      if (used < wanted) isCut = true;
    },

    giveBack({ policy, cost, at, hold, given }) {
      const take = admissions.find((each) => each.hold === hold);
      if (cost === 0) return;
      if (!take || except.excepts(take, at)) {
        // It gives fractions of a unit, too.
        except.exact = false;
        except.slack += ((given + 1) * intervalOf(policy)) / divisorOf(policy);
        return;
      }
      if (usedAt(policy, at) === 0) isCut = false;
      const due = except.exact
        ? Math.min(usedAt(policy, at), dueOf(policy, cost, take, at))
        : Math.min(cost, given + 1) * intervalOf(policy);
      if (except.exact && given !== Math.floor(due / intervalOf(policy))) {
        report(`token-bucket gives back ${given}, not ${due / intervalOf(policy)} of ${cost}`);
      }
      if (due === 0) return;
      take.units -= due;
      used = usedAt(policy, at) - due;
      lastUs = at.nowUs;
    },
  };
}
