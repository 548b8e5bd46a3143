import type { CompiledPolicy } from "../../../../src/policy/compile.ts";
import { burstAboveRate } from "../../model/trailing-window.ts";
import { type Account, exceptions, type Moment, type Report, type Take } from "./account.ts";

/** A unit comes back every `intervalUs / divisor`: amounts are in units of 1/divisor microsecond, whole numbers. */
const intervalOf = ({ parameters }: CompiledPolicy) => parameters["intervalUs"]!;
const divisorOf = ({ parameters }: CompiledPolicy) => parameters["divisor"]!;

/** The account of a token bucket. */
export function bucketAccount(report: Report): Account {
  const except = exceptions();
  /** Since the rate has changed last. */
  let admissions: Take[] = [];
  let limits: number[] = [];
  let used = 0;
  let lastUs = 0;
  let inDebt = false;

  function ask(policy: CompiledPolicy, now: Moment): void {
    const before = except.changedFrom(policy);
    if (now.backs > 0) except.exact = false;
    if (before) [admissions, limits] = [[], []];
    if (limits.at(-1) !== policy.limit) limits.push(policy.limit);
    used = usedAt(policy, now);
    lastUs = now.nowUs;
    const most = (inDebt ? 2 : 1) * policy.limit * intervalOf(policy);
    if (used <= most) return;
    used = most;
    except.cut(now.timeUs, policy.limit);
  }

  const usedAt = (policy: CompiledPolicy, { nowUs }: Moment) =>
    Math.max(0, used - (nowUs - lastUs) * divisorOf(policy));

  /** The limit when the rate changed last, and what it was raised by since: what was taken under a higher one may count. */
  const burstOf = () =>
    limits.reduce((sum, limit, i) => sum + Math.max(0, limit - (limits[i - 1] ?? 0)), 0);

  function checkBound(policy: CompiledPolicy): void {
    const taken = admissions.map(({ at, units }) => ({ time: at.timeUs, units }));
    const burst = burstAboveRate(taken, 1, divisorOf(policy));
    const most = burstOf() * intervalOf(policy) + except.slack * divisorOf(policy);
    if (burst > most) report(`a span of token-bucket held ${burst} above its rate, not ${most}`);
  }

  /** "In doubt nothing comes back": a debt beyond the bucket's limit may have been cut off. */
  function isInDoubt(policy: CompiledPolicy, passed: number, left: number): boolean {
    const capacity = policy.limit * intervalOf(policy);
    return left + passed >= 2 * capacity || (!inDebt && left > capacity);
  }

  /** What comes back of a take when nothing is in doubt. */
  function dueOf(policy: CompiledPolicy, cost: number, take: Take, now: Moment): number {
    const passed = (now.nowUs - take.at.nowUs) * divisorOf(policy);
    const left = usedAt(policy, now);
    if (isInDoubt(policy, passed, left)) return 0;
    return Math.max(0, cost * intervalOf(policy) - passed);
  }

  return {
    reserve({ policy, cost, at, hold, allowed, took }) {
      ask(policy, at);
      const [capacity, amount] = [policy.limit * intervalOf(policy), cost * intervalOf(policy)];
      if (except.exact && allowed !== used + amount <= capacity) {
        report(`token-bucket ${allowed ? "admits without" : "denies with"} room for ${cost}`);
      }
      if (!took || cost === 0) return;
      used += amount;
      inDebt = false;
      admissions.push({ hold, policy, at, changes: except.changes, units: amount });
      checkBound(policy);
    },

    charge({ policy, cost, at }) {
      ask(policy, at);
      if (cost === 0) return;
      const capacity = policy.limit * intervalOf(policy);
      const wanted = used + cost * intervalOf(policy);
      used = Math.min(wanted, 2 * capacity);
      inDebt = used > capacity;
      if (used < wanted) except.cut(at.timeUs, policy.limit);
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
      const due = except.exact
        ? dueOf(policy, cost, take, at)
        : Math.min(cost, given + 1) * intervalOf(policy);
      if (except.exact && given !== Math.floor(due / intervalOf(policy))) {
        report(`token-bucket gives back ${given}, not ${due / intervalOf(policy)} of ${cost}`);
      }
      if (due === 0) return;
      take.units -= due;
      used = usedAt(policy, at) - due;
      lastUs = at.nowUs;
      inDebt = inDebt && used > policy.limit * intervalOf(policy);
    },
  };
}
