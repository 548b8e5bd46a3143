import type { Call } from "../call.ts";
import { count, type Invariant, type Observed } from "./invariant.ts";

/** Failures in a row after which the store is left alone, and for how many milliseconds at a time. */
const FAILURES = 5;
const PAUSE = 1_000;

/** A moment as the isolate can have known it, in milliseconds: not before, not after. */
interface Moment {
  readonly earliest: number;
  readonly latest: number;
  /** How often it had seen its clock go back: then it knows nothing of the time before. */
  readonly backwards: number;
}

const LONG_AGO: Moment = { earliest: -Infinity, latest: -Infinity, backwards: 0 };

function momentOf({ isolate: { clock } }: Call): Moment {
  const { backwards, gained, lost } = clock.seen;
  const elapsed = clock.elapsed();
  return { earliest: elapsed - lost, latest: elapsed + gained, backwards };
}

/** What has become of an isolate's calls of the store. */
interface Access {
  failures: number;
  /** The last failure, or the last probe's start if that was later. */
  quietSince: Moment;
  reports: number;
}

/**
 * Every call asks the store or is answered at once, or when the call that it may wait for has been; who asks is answered
 * within the budget. After five failures in a row the store is asked once per second, and nobody else waits; the first
 * failure after a success is told, and no other.
 */
export function guardedAccess({ scheduler, statistics, violated }: Observed): Invariant {
  const accesses = new Map<number, Access>();
  /** What an isolate's clock had hidden when each call came. */
  const pending = new Map<Call, number>();

  function accessOf({ isolate: { number } }: Call): Access {
    let access = accesses.get(number);
    if (!access) accesses.set(number, (access = { failures: 0, quietSince: LONG_AGO, reports: 0 }));
    return access;
  }

  /** A request that waits for another's answer may wait for longer by what it cannot know to have passed. */
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
      if (isLate(call)) violated("budget", "asked too late");
      if (scheduler.now > call.calledAt) count(statistics, "waited in vain");
      const access = accessOf(call);
      if (access.failures < FAILURES) return;
      count(statistics, "probe");
      const now = momentOf(call);
      const { quietSince } = access;
      if (now.backwards === quietSince.backwards && now.latest < quietSince.latest + PAUSE) {
        violated("probes", "the store was asked twice within a second of its outage");
      }
      access.quietSince = now;
    },

    reported(call) {
      accessOf(call).reports++;
    },

    answered(call, { decision, error }) {
      const late = isLate(call);
      pending.delete(call);
      const now = momentOf(call);
      const access = accessOf(call);
      const code = decision?.error?.code ?? error?.code;
      if (late) violated("budget", "answered too late");
      if (decision?.reason === "cached-denial" && scheduler.now > call.calledAt) {
        count(statistics, "denied by another call's answer");
      }
      if (code === "ERR_STORE_SUSPENDED") {
        const { quietSince, failures } = access;
        const over =
          now.backwards > quietSince.backwards || now.earliest >= quietSince.earliest + PAUSE;
        if (failures < FAILURES || over) {
          violated("probes", "the store was not asked, though it was its turn");
        }
      } else if (code) {
        const expected = access.failures === 0 ? 1 : 0;
        if (access.reports !== expected) violated("reports", `${access.reports} for ${code}`);
        access.reports = 0;
        access.failures++;
        access.quietSince = now;
      } else if (call.commands > 0) {
        if (access.reports > 0) violated("reports", "a failure that was none");
        access.failures = 0;
      }
    },

    settled() {
      for (const call of pending.keys()) {
        if (isLate(call)) violated("budget", "no answer");
      }
    },
  };
}
