import type { CompiledPolicy } from "../../../src/policy/compile.ts";
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

/** A log forgets a larger limit with a renewal, which is dated in whole milliseconds: so much after its last unit at most. */
const LATEST_RENEWAL_US = 2_000;

/** The account of a window or a log. */
export function windowAccount(algorithm: string, report: Report): Account {
  const { cell, weight, scale, bound, loose } = COUNTINGS[algorithm]!;
  const isLog = algorithm === "sliding-window-log";
  const takes: Take[] = [];
  const except = exceptions();
  /** Since when every window has counted everything that it should: a shorter one before has forgotten the rest. */
  let rememberedUs = -Infinity;
  /** The number of units of a log that were pushed out beyond the largest limit, and the takes that have left it. */
  const log = { pushed: 0, largest: 0, left: new Set<Take>() };
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
        .filter((name) => !("setting" in is && name === "windowUs"))
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
      oldestOf(policy, now) ? log.pushed : 0,
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

  /** The oldest units of a log, where they are in the window. */
  function oldestOf(policy: CompiledPolicy, now: Moment): Take | undefined {
    const oldest = takes.find((take) => take.units > 0 && !log.left.has(take));
    return oldest && weight(policy, cell(policy, oldest.at), now) > 0 ? oldest : undefined;
  }

  /** A take of a log pushes out its oldest units beyond the largest limit. They count as long as the oldest remaining one. */
  function pushOut(policy: CompiledPolicy, units: number, now: Moment): void {
    if (!isLog) return;
    const counted = counting(policy, now);
    const leaving = takes.filter(
      (take) => take.units > 0 && !log.left.has(take) && !counted.includes(take),
    );
    leaving.forEach((take) => log.left.add(take));
    if (leaving.length > 0) log.pushed = 0;
    const used = sumOf(counted);
    const mayBeKept = takes.some(
      ({ units, at }) =>
        units > 0 && now.timeUs - at.timeUs <= windowOf(policy) + LATEST_RENEWAL_US,
    );
    if (used === 0 && log.largest > policy.limit && mayBeKept) except.exact = false;
    log.largest = Math.max(used === 0 ? 0 : log.largest, policy.limit);
    let over = used + units - log.largest;
    for (const take of counted) {
      const pushed = Math.min(take.units, Math.max(0, over));
      over -= pushed;
      take.units -= pushed;
      log.pushed += pushed;
    }
  }

  /** Of a charge, a log counts no more than the limit, and other windows no more than twice the limit in all. */
  function unitsOfCharge(policy: CompiledPolicy, cost: number, now: Moment): number {
    if (isLog) return Math.min(cost, policy.limit);
    return Math.max(0, Math.min(cost, 2 * policy.limit - sumOf(inCell(policy, now))));
  }

  /** The size of the refund. It is 0 in doubt: there may be more units than the store has counted. */
  function dueOf(policy: CompiledPolicy, take: Take, cost: number, now: Moment): number {
    if (weight(policy, cell(policy, take.at), now) === 0) return 0;
    if (!isLog) {
      const isInDoubt = inCell(policy, take.at).some((each) => cutOff.has(each));
      return isInDoubt ? 0 : Math.min(cost, take.units);
    }
    // The oldest unit stays while others count with it.
    const stays = log.pushed > 0 && oldestOf(policy, now)?.at.timeUs === take.at.timeUs ? 1 : 0;
    return Math.min(cost, Math.max(0, sumOf(inCell(policy, take.at)) - stays));
  }

  return {
    reserve({ policy, cost, at, hold, allowed, took }) {
      ask(policy, at, cost);
      if (except.exact && allowed !== hasRoom(policy, cost, at)) {
        report(`${algorithm} ${allowed ? "admits without" : "denies with"} room for ${cost}`);
      }
      if (!took || cost === 0) return;
      pushOut(policy, cost, at);
      latest.written = policy;
      takes.push({ hold, policy, at, changes: except.changes, units: cost });
      checkBound(policy, at);
    },

    charge({ policy, cost, at }) {
      ask(policy, at);
      if (cost === 0) return;
      const units = unitsOfCharge(policy, cost, at);
      pushOut(policy, units, at);
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
        const due = dueOf(policy, take, cost, at);
        if (given !== due) report(`${algorithm} gives back ${given}, not ${due} of ${cost}`);
      }
      take.units -= given;
      if (take.units >= 0 || !isLog) return;
      // Of a moment's units, a log does not know whose they are.
      for (const other of inCell(policy, take.at)) {
        const moved = Math.min(Math.max(0, other.units), -take.units);
        other.units -= moved;
        take.units += moved;
      }
    },
  };
}
