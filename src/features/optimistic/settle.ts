import type { CoreSettings, Kit } from "../../decide/kit.ts";
import type { Known } from "../../decide/known.ts";
import type { Asked, AskedGroup, Decide, Verdict } from "../../decide/step.ts";
import { reportOnce } from "../../runtime/log.ts";
import { createWaitingRoom } from "../../runtime/waiting-room.ts";
import type { Partition, Partitions } from "./partitions.ts";

/**
 * How long a request waits for a call that settles the same partition. A store answers or fails sooner; but a request of
 * Workers may be gone before its answer arrives, and then no other request is let go on.
 */
const PATIENCE_MS = 2_000;

/** What a request has admitted of one group of policies. */
export interface Admitted {
  readonly asked: AskedGroup;
  readonly entry: Partition;
}

/** Has the store count what was admitted. Never rejects. */
export type Settle = (admitted: readonly Admitted[]) => Promise<void>;

/** What settlements need of the step. */
interface Settling {
  readonly next: Decide;
  readonly of: (asked: AskedGroup) => Partitions;
  readonly tick: () => number;
  /** Notes what the store answered to a call that was sent at this place in the order of events. */
  readonly note: (verdict: Verdict, sentAt: number) => void;
}

/**
 * One call at a time settles a partition. What is admitted meanwhile waits, and the first request to go on takes all of it
 * along: requests hand over numbers, and each call is made by a request for units of its own, so that none does I/O of another.
 */
export function settler(
  { now }: Kit<CoreSettings>,
  known: Known,
  { next, of, tick, note }: Settling,
): Settle {
  /** Charges what waits; more than this request's own units, or nothing where another one took them along. */
  async function charge(admitted: readonly Admitted[]): Promise<void> {
    const due = admitted.filter(({ entry }) => waits(entry));
    if (due.length === 0) return;
    const groups = due.map(({ asked, entry }) => ({ ...asked, costs: take(entry) }));
    const asked: Asked = { operation: "charge", groups, isSettlement: true };
    const sentAt = tick();
    try {
      const verdict = await next(asked);
      note(verdict, sentAt);
      if (verdict.error) doubt(groups);
      else await known.learn(asked, verdict);
    } catch (error) {
      doubt(groups);
      reportOnce(`a request that was admitted could not be counted: ${String(error)}`);
    } finally {
      due.forEach(({ entry }, i) => {
        close({ asked: groups[i]!, entry });
        entry.underWay--;
        entry.room?.letGoOn();
      });
    }
  }

  function doubt(groups: readonly AskedGroup[]): void {
    for (const each of groups) of(each).doubt(each.partition);
  }

  return async (admitted) => {
    for (const { asked, entry } of admitted) {
      asked.costs.forEach((units, i) => (entry.waiting[i]! += units));
    }
    const untilMs = now() + PATIENCE_MS;
    for (;;) {
      const busy = admitted.find(({ entry }) => entry.underWay > 0 && waits(entry));
      const leftMs = untilMs - now();
      if (!busy || leftMs <= 0) return charge(admitted);
      await (busy.entry.room ??= createWaitingRoom()).wait(leftMs);
    }
  };
}

/** Ends that units of it have no answer. */
export function close({ asked: { costs }, entry: { open } }: Admitted): void {
  costs.forEach((units, i) => (open[i]! -= units));
}

function waits({ waiting }: Partition): boolean {
  return waiting.some((units) => units > 0);
}

function take(entry: Partition): readonly number[] {
  const costs = [...entry.waiting];
  entry.waiting.fill(0);
  entry.underWay++;
  return costs;
}
