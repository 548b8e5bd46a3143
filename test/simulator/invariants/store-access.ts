import { hashSlot } from "../../../src/store/cluster/hash-slot.ts";
import type { Call } from "../call.ts";
import { count, type Invariant, type Observed } from "./invariant.ts";

/** Failures in a row after which something is left alone, and for how many milliseconds at a time. */
const FAILURES = 5;
const PAUSE = 1_000;

/** The silence of the whole store before failures speak of all of it, in milliseconds. */
const QUIET = 250;

/** Failures in a row of one group after which one is enough for any that has not answered since. */
const LIKELY = 3;

/** Before that, an outage may go on though some groups answer. */
const SETTLED = 1_000;

/** The time without any failure after which no group is blamed, in milliseconds. */
const FORGET = 10_000;

/** The part of the store that is asked once per second after five failures in a row. */
class Gate {
  failures = 0;
  /** The last failure, or the last probe's start if that was later; milliseconds of the isolate's clock. */
  quietSince = 0;

  get suspended(): boolean {
    return this.failures >= FAILURES;
  }

  isShut(now: number): boolean {
    return this.suspended && now < this.quietSince + PAUSE;
  }

  failed(now: number): void {
    this.failures++;
    this.quietSince = now;
  }
}

/** The state of an isolate's calls of the store. */
class Access {
  readonly whole = new Gate();
  /** For all groups of slots that are suspended. */
  readonly parts = new Gate();
  /** Failures in a row of each group. */
  readonly failures = new Map<number, number>();
  readonly answered = new Set<number>();
  answeredAt = -Infinity;
  failedAt = -Infinity;
  isOutage = false;
  reports = 0;

  isSuspended(group: number): boolean {
    return (this.failures.get(group) ?? 0) >= FAILURES;
  }

  /** Whether the store must not be asked about this group. */
  isShut(group: number, now: number): boolean {
    if (!this.isSuspended(group)) return this.whole.isShut(now);
    // The probe of the whole is for others first.
    return this.whole.isShut(now - QUIET) || this.parts.isShut(now);
  }

  /** Whether a call asks now for all that wait for the store, or for a part of it, to come back. */
  isProbe(group: number): boolean {
    return this.whole.suspended || this.isSuspended(group);
  }

  probed(group: number, now: number): void {
    this.whole.quietSince = now;
    if (this.isSuspended(group)) this.parts.quietSince = now;
  }

  succeeded(group: number, now: number): void {
    this.answeredAt = now;
    if (this.failures.size === 0) return;
    if (this.whole.suspended || this.isSuspended(group)) this.parts.failures = 0;
    const wholeIsBack = this.whole.suspended && this.answered.size === 0;
    this.whole.failures = 0;
    this.failures.delete(group);
    if (wholeIsBack || Math.abs(now - this.failedAt) > FORGET) this.failures.clear();
    this.answered.add(group);
    if (this.failures.size === 0) {
      this.answered.clear();
      this.parts.failures = 0;
    }
    this.isOutage &&=
      (this.failures.size > 0 && Math.abs(now - this.failedAt) < SETTLED) ||
      [...this.failures.keys()].some((other) => this.isSuspended(other));
  }

  failed(group: number, sentAt: number, now: number): void {
    this.failedAt = now;
    this.isOutage = true;
    if (now < this.answeredAt) this.answeredAt = -Infinity;
    const before = this.failures.get(group) ?? 0;
    const oneIsEnough =
      !this.answered.has(group) && Math.max(...this.failures.values(), 0) >= LIKELY;
    this.failures.set(group, oneIsEnough ? FAILURES : before + 1);
    if (before >= FAILURES || !this.parts.suspended) this.parts.failed(now);
    const nothingAnswers =
      before === 0 && sentAt >= this.answeredAt && now - this.answeredAt >= QUIET;
    if (nothingAnswers || this.whole.suspended) this.whole.failed(now);
  }
}

const groupOf = ({ identity }: Call) => Math.floor(hashSlot(`{${identity}}`) / 64);

/**
 * Every call asks the store or is answered at once, or when the call that it may wait for has been; a call that asks is answered
 * within the timeout. After five failures the group of slots that fails, or the store if no group answers, is asked once per
 * second, and no other call waits; the first failure of an outage is reported, and no other. The number of calls is not checked
 * of an isolate whose clock was set: test/limiter/clock-steps does that.
 */
export function guardedAccess({ scheduler, statistics, violated }: Observed): Invariant {
  const accesses = new Map<number, Access>();
  /** The time that an isolate's clock had hidden when each call came. */
  const pending = new Map<Call, number>();
  /** On the clock of the isolate. */
  const sentAt = new WeakMap<Call, number>();

  function accessOf({ isolate: { number } }: Call): Access {
    let access = accesses.get(number);
    if (!access) accesses.set(number, (access = new Access()));
    return access;
  }

  /** A request that waits for another's answer may wait for longer by the time that it cannot know to have passed. */
  function isLate(call: Call): boolean {
    const hidden = call.isolate.clock.seen.lost - pending.get(call)!;
    return scheduler.now > call.deadline + Math.ceil(hidden * 1_001);
  }

  return {
    called(call) {
      pending.set(call, call.isolate.clock.seen.lost);
    },

    sending(call) {
      if (call.commands > 1) return;
      if (isLate(call)) violated("timeout", "asked too late");
      if (scheduler.now > call.calledAt) count(statistics, "waited in vain");
      const access = accessOf(call);
      const group = groupOf(call);
      const now = call.isolate.clock.elapsed();
      sentAt.set(call, now);
      if (!access.isProbe(group)) return;
      count(statistics, "probe");
      if (call.isolate.clock.isSteady && access.isShut(group, now)) {
        violated("probes", "the store was asked twice within a second of its outage");
      }
      access.probed(group, now);
    },

    reported(call) {
      accessOf(call).reports++;
    },

    answered(call, { decision, error, settlement }) {
      const late = isLate(call);
      pending.delete(call);
      const { clock } = call.isolate;
      const now = clock.elapsed();
      const access = accessOf(call);
      const group = groupOf(call);
      const failure = decision?.error ?? error ?? settlement?.error;
      const code = failure?.code;
      if (late) violated("timeout", "answered too late");
      // A reservation without an answer is settled without asking.
      if (failure && failure === call.settles?.call.answer!.decision!.error) return;
      if (decision?.reason === "cached-denial" && scheduler.now > call.calledAt) {
        count(statistics, "denied by another call's answer");
      }
      if (code === "ERR_STORE_SUSPENDED") {
        if (clock.isSteady && !access.isShut(group, now)) {
          violated("probes", "the store was not asked, though it was its turn");
        }
      } else if (code) {
        const expected = access.isOutage ? 0 : 1;
        if (clock.isSteady && access.reports !== expected)
          violated("reports", `${access.reports} for ${code}`);
        access.reports = 0;
        access.failed(group, sentAt.get(call)!, now);
      } else if (call.commands > 0) {
        if (access.reports > 0) violated("reports", "a failure that was none");
        access.succeeded(group, now);
      }
    },

    settled() {
      for (const call of pending.keys()) {
        if (isLate(call)) violated("timeout", "no answer");
      }
    },
  };
}
