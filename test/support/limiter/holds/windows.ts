import type { CompiledPolicy } from "../../../../src/policy/compile.ts";
import { type Account, exceptions, type Moment, type Report, type Take } from "./account.ts";

/** How a window counts, said of each unit by itself. */
interface Counting {
  /** Units of the same cell are one number in the store. */
  readonly cell: (policy: CompiledPolicy, at: Moment) => number;
  /** How much of a unit of this cell counts now, as a part of `scale`. */
  readonly weight: (policy: CompiledPolicy, cell: number, now: Moment) => number;
  readonly scale: (policy: CompiledPolicy) => number;
  /** The most units that a trailing window may hold, with this as the highest limit; debts aside if that is `loose`. */
  readonly bound: (limit: number) => number;
  readonly loose?: true;
}

const windowOf = ({ parameters: { windowUs, lengthUs, segments } }: CompiledPolicy) =>
  windowUs ?? lengthUs! * segments!;
const window = (policy: CompiledPolicy, { nowUs }: Moment) => Math.floor(nowUs / windowOf(policy));
const segment = ({ parameters: { lengthUs } }: CompiledPolicy, { nowUs }: Moment) =>
  Math.floor(nowUs / lengthUs!);

const COUNTINGS: Record<string, Counting> = {
  "fixed-window": {
    cell: window,
    weight: (policy, cell, now) => Number(cell === window(policy, now)),
    scale: () => 1,
    bound: (limit) => 2 * limit,
    loose: true,
  },
  "sliding-window-counter": {
    cell: window,
    weight(policy, cell, now) {
      const age = window(policy, now) - cell;
      if (age > 1) return 0;
      return windowOf(policy) - age * (now.nowUs % windowOf(policy));
    },
    scale: windowOf,
    bound: (limit) => 2 * limit - 1,
    loose: true,
  },
  "segmented-window": {
    cell: segment,
    weight: (policy, cell, now) =>
      Number(segment(policy, now) - cell <= policy.parameters["segments"]!),
    scale: () => 1,
    bound: (limit) => limit,
  },
  "sliding-window-log": {
    cell: (_, { timeUs }) => timeUs,
    weight: (policy, cell, { timeUs }) => Number(cell > timeUs - windowOf(policy)),
    scale: () => 1,
    bound: (limit) => limit,
  },
};

const sumOf = (takes: readonly Take[]) => takes.reduce((sum, { units }) => sum + units, 0);

/** The account of a window or a log. */
export function windowAccount(algorithm: string, report: Report): Account {
  const { cell, weight, scale, bound, loose } = COUNTINGS[algorithm]!;
  const isLog = algorithm === "sliding-window-log";
  const takes: Take[] = [];
  const except = exceptions();
  /** Since when every window has counted everything that it should: a shorter one before has forgotten the rest. */
  let rememberedUs = -Infinity;
  /** Whether a log's debt has pushed units out since one has last left the window, and those that have left. */
  const debt = { pushedOut: false, left: new Set<Take>() };
  /** The charges of which a window has counted a part. */
  const cutOff = new Set<Take>();
  /** The policies that were asked last, and by which units were taken last. */
  const latest: { asked?: CompiledPolicy; written?: CompiledPolicy } = {};

  function ask(policy: CompiledPolicy, now: Moment, cost = 1): void {
    if (now.backs > 0) except.exact = false;
    if (cost === 0) return except.look(policy);
    const before = except.changedFrom(policy);
    latest.asked = policy;
    if (!before) return;
    rememberedUs = Math.max(rememberedUs, now.timeUs - (loose ? 0 : windowOf(before)));
  }

  /** Whether the store must see that a window was changed since it took by this one. */
  function seesAnother({ parameters: was }: CompiledPolicy): boolean {
    return Object.values(latest).every(({ parameters: is }) =>
      Object.keys(is)
        // A fixed window notices a change of a tenth.
        .filter((name) => !("sizeClass" in is && name === "windowUs"))
        .some((name) => was[name] !== is[name]),
    );
  }

  const inCell = (policy: CompiledPolicy, at: Moment) =>
    takes.filter((take) => cell(policy, take.at) === cell(policy, at));
  const counting = (policy: CompiledPolicy, now: Moment) =>
    takes.filter((take) => weight(policy, cell(policy, take.at), now) > 0);

  function hasRoom(policy: CompiledPolicy, cost: number, now: Moment): boolean {
    const used = takes.reduce(
      (sum, take) => sum + take.units * weight(policy, cell(policy, take.at), now),
      0,
    );
    return used + cost * scale(policy) <= policy.limit * scale(policy);
  }

  function checkBound(policy: CompiledPolicy, { timeUs }: Moment): void {
    const since = Math.max(rememberedUs, timeUs - windowOf(policy));
    // When a window changes or begins anew, of a debt as much counts as the limit of that moment allows.
    const countsDebts = !loose && except.exact;
    const held = sumOf(
      takes.filter(({ at, hold }) => at.timeUs > since && (countsDebts || hold !== undefined)),
    );
    const most = bound(loose ? except.most : policy.limit) + except.slack;
    if (held > most) report(`a window of ${algorithm} held ${held} units, and not ${most} at most`);
  }

  /** A log notes a debt with the units that it takes, and forgets it with the first ones that leave. */
  function noteDebt(policy: CompiledPolicy, cost: number, now: Moment): void {
    const fits = hasRoom(policy, cost, now);
    const leaving = takes.filter(
      (take) =>
        take.units > 0 && !debt.left.has(take) && weight(policy, cell(policy, take.at), now) === 0,
    );
    leaving.forEach((take) => debt.left.add(take));
    debt.pushedOut = !fits || (debt.pushedOut && leaving.length === 0);
  }

  /** A log in debt forgets its oldest units; other windows count no more of a debt than twice the limit. */
  function takeUncounted(policy: CompiledPolicy, cost: number, now: Moment): number {
    const used = sumOf(isLog ? counting(policy, now) : inCell(policy, now));
    if (!isLog) return Math.max(0, Math.min(cost, 2 * policy.limit - used));
    const units = Math.min(cost, policy.limit);
    let over = used + units - Math.max(policy.limit, used);
    for (const take of counting(policy, now)) {
      const forgotten = Math.min(take.units, Math.max(0, over));
      over -= forgotten;
      take.units -= forgotten;
      if (forgotten > 0) except.cut(now.timeUs, policy.limit);
    }
    return units;
  }

  /** "In doubt nothing comes back": there may be more than the store has counted. */
  function isInDoubt(policy: CompiledPolicy, take: Take, now: Moment): boolean {
    if (!isLog) return inCell(policy, take.at).some((each) => cutOff.has(each));
    const newest = takes.findLast(({ units }) => units > 0);
    return debt.pushedOut && sumOf(counting(policy, now)) >= policy.limit && newest !== take;
  }

  return {
    reserve({ policy, cost, at, hold, allowed, took }) {
      ask(policy, at, cost);
      if (except.exact && allowed !== hasRoom(policy, cost, at)) {
        report(`${algorithm} ${allowed ? "admits without" : "denies with"} room for ${cost}`);
      }
      if (!took || cost === 0) return;
      noteDebt(policy, cost, at);
      latest.written = policy;
      takes.push({ hold, policy, at, changes: except.changes, units: cost });
      checkBound(policy, at);
    },

    charge({ policy, cost, at }) {
      ask(policy, at);
      if (cost === 0) return;
      noteDebt(policy, cost, at);
      const units = takeUncounted(policy, cost, at);
      const taken = { hold: undefined, policy, at, changes: except.changes, units };
      if (units < cost) {
        except.cut(at.timeUs, policy.limit);
        cutOff.add(taken);
      }
      latest.written = policy;
      takes.push(taken);
    },

    giveBack({ policy, cost, at, hold, given }) {
      const take = takes.find((each) => each.hold === hold);
      if (!take || cost === 0) return;
      if (except.excepts(take, at)) {
        // The others count for each setting that is alive by itself.
        if (seesAnother(policy) && algorithm === "fixed-window" && given > 0) {
          report(`${algorithm} gives back ${given} of another window`);
        }
        if (given > 0) except.exact = false;
        if (!isLog || at.backs > take.at.backs) except.slack += given;
      } else if (except.exact) {
        const counts = weight(policy, cell(policy, take.at), at) > 0;
        const due = counts && !isInDoubt(policy, take, at) ? Math.min(cost, take.units) : 0;
        if (given !== due) report(`${algorithm} gives back ${given}, not ${due} of ${cost}`);
      }
      take.units -= given;
    },
  };
}
