import type { CoreSettings, LimiterContext } from "../decide/limiter-context.ts";
import type { LocalDenials } from "../decide/local-denials.ts";
import type { CountRequest, PartitionRequest, Beside, Decide, Verdict } from "../decide/step.ts";
import { reportOnce } from "../runtime/log.ts";
import { nextTurn } from "../runtime/next-turn.ts";
import { createWaitingRoom } from "../runtime/waiting-room.ts";
import type { OptimisticPartitions, Partition } from "./optimistic-partitions.ts";

/**
 * How long a request waits for a call that settles the same partition. A store answers or fails sooner. But a request
 * on Workers may end before its answer arrives, and then it does not wake the next request.
 */
const MAX_WAIT_MS = 2_000;

/** The units that a request has admitted in one group of policies. */
export interface Admitted {
  readonly asked: PartitionRequest;
  readonly entry: Partition;
}

/** Sends admitted units to the store, which counts them. Its functions never reject. */
export interface Settler {
  /**
   * Has the store count the units of a request, after the turn in which they were admitted.
   *
   * @param beside the request's policies in shadow
   */
  settle(admitted: readonly Admitted[], beside?: Beside): Promise<void>;
  /** Sends now the units that wait for the end of their turn, so that the store counts them before the next call. */
  sendWaiting(admitted: readonly Admitted[]): Promise<void>;
}

interface Settling {
  readonly next: Decide;
  readonly of: (asked: PartitionRequest) => OptimisticPartitions;
  readonly tick: () => number;
  /** Notes the store's answer to a call that was sent at this position in the order of events. */
  readonly note: (verdict: Verdict, sentAt: number) => void;
}

/**
 * One call at a time settles a partition. Units that are admitted meanwhile wait, and the first request that continues
 * sends all of them. Requests hand over only data, and each request makes its own call, so that no request does
 * another one's I/O.
 */
export function settler(
  { now }: LimiterContext<CoreSettings>,
  known: LocalDenials,
  { next, of, tick, note }: Settling,
): Settler {
  /** Charges the waiting units: more than this request's own, or none if another request sent them. */
  async function charge(admitted: readonly Admitted[], beside?: Beside): Promise<void> {
    const due = admitted.filter(({ entry }) => waits(entry));
    if (due.length === 0) return;
    const batches = due.map(({ entry }) => take(entry));
    const groups = batches.flat();
    const asked: CountRequest = { operation: "charge", groups, beside, isSettlement: true };
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
        for (const each of batches[i]!) close({ asked: each, entry });
        entry.underWay--;
        entry.room?.letGoOn();
      });
    }
  }

  function doubt(groups: readonly PartitionRequest[]): void {
    for (const each of groups) of(each).doubt(each.partition);
  }

  return {
    async settle(admitted, beside) {
      for (const each of admitted) putInLine(each);
      // Building and sending the call takes many times as long as the decision, which has its answer already.
      await nextTurn();
      const untilMs = now() + MAX_WAIT_MS;
      for (;;) {
        const busy = admitted.find(({ entry }) => entry.underWay > 0 && waits(entry));
        const leftMs = untilMs - now();
        if (!busy || leftMs <= 0) return charge(admitted, beside);
        const room = (busy.entry.room ??= createWaitingRoom());
        // By the timer, too: a clock that stands still must not make it wait for ever.
        if (!(await room.wait(leftMs))) return charge(admitted, beside);
      }
    },
    sendWaiting: (admitted) => charge(admitted.filter(({ entry }) => entry.underWay === 0)),
  };
}

/** Closes units that have their answer, or will never get one. */
export function close({ asked: { costs }, entry: { open } }: Admitted): void {
  costs.forEach((units, i) => (open[i]! -= units));
}

function waits({ waiting }: Partition): boolean {
  return waiting.size > 0;
}

function putInLine({ asked, entry: { waiting } }: Admitted): void {
  const found = waiting.get(asked.group);
  if (found) asked.costs.forEach((units, i) => (found.costs[i]! += units));
  else waiting.set(asked.group, { asked, costs: [...asked.costs] });
}

function take(entry: Partition): readonly PartitionRequest[] {
  const charges = Array.from(entry.waiting.values(), ({ asked, costs }) => ({ ...asked, costs }));
  entry.waiting.clear();
  entry.underWay++;
  return charges;
}
