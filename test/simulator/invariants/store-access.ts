import type { Call } from "../call.ts";
import { count, type Invariant, type Observed } from "./invariant.ts";

/** Failures in a row after which the store is left alone, and for how many milliseconds at a time. */
const FAILURES = 5;
const PAUSE = 1_000;

/** What has become of an isolate's calls of the store. */
interface Access {
  failures: number;
  /** The last failure, or the last probe's start if that was later; milliseconds of the isolate's clock. */
  quietSince: number;
  reports: number;
}

/**
 * Every call asks the store or is answered at once, or when the call that it may wait for has been; who asks is answered
 * within the budget. After five failures in a row the store is asked once per second, and nobody else waits; the first
 * failure after a success is told, and no other.
 */
export function guardedAccess({ scheduler, statistics, violated }: Observed): Invariant {
  const accesses = new Map<number, Access>();
  const pending = new Set<Call>();

  function accessOf({ isolate: { number } }: Call): Access {
    let access = accesses.get(number);
    if (!access) accesses.set(number, (access = { failures: 0, quietSince: 0, reports: 0 }));
    return access;
  }

  return {
    called(call) {
      pending.add(call);
    },

    sending(call) {
      if (call.commands > 1) return;
      if (scheduler.now > call.deadline) violated("budget", "asked too late");
      if (scheduler.now > call.calledAt) count(statistics, "waited in vain");
      const access = accessOf(call);
      if (access.failures < FAILURES) return;
      count(statistics, "probe");
      const now = call.isolate.clock.monotonic();
      if (now < access.quietSince + PAUSE) {
        violated("probes", "the store was asked twice within a second of its outage");
      }
      access.quietSince = now;
    },

    reported(call) {
      accessOf(call).reports++;
    },

    answered(call, { decision, error }) {
      pending.delete(call);
      const now = call.isolate.clock.monotonic();
      const access = accessOf(call);
      const code = decision?.error?.code ?? error?.code;
      if (scheduler.now > call.deadline) violated("budget", "answered too late");
      if (decision?.reason === "cached-denial" && scheduler.now > call.calledAt) {
        count(statistics, "denied by another call's answer");
      }
      if (code === "ERR_STORE_SUSPENDED") {
        if (access.failures < FAILURES || now >= access.quietSince + PAUSE) {
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
      for (const { deadline } of pending) {
        if (scheduler.now > deadline) violated("budget", "no answer");
      }
    },
  };
}
