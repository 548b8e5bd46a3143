import { setRecent } from "../runtime/lru.ts";
import { withTimeout } from "../runtime/timeout.ts";

/** The requests that ask anew about a partition whose known denial has run out: one at a time for each. */
export interface Probes {
  /** Asks on behalf of all who follow; they go on when it has its answer, or has failed. */
  lead<Answer>(
    partition: string,
    cost: number,
    now: number,
    ask: () => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Waits for the end of a probe whose answer may deny this cost, too; `undefined` if there is none, or the request
   * has waited for long enough since it arrived.
   */
  follow(
    partition: string,
    cost: number,
    arrivedAt: number,
    now: number,
  ): Promise<unknown> | undefined;
}

/**
 * For how many milliseconds a request waits for others, and a probe is waited for: a round trip to another continent.
 * On Workers a request may end with its client's connection, and then its probe never ends.
 */
export const PATIENCE = 150;

/** Far more than are under way at once, so that it is those that never end that go. */
const MAX_PROBES = 1_000;

interface Probe {
  readonly cost: number;
  readonly startedAt: number;
  readonly ended: Promise<void>;
}

export function createSingleFlight(): Probes {
  const probes = new Map<string, Probe>();

  return {
    async lead(partition, cost, startedAt, ask) {
      let end!: () => void;
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      const probe = { cost, startedAt, ended };
      setRecent(probes, partition, probe, MAX_PROBES);
      try {
        return await ask();
      } finally {
        if (probes.get(partition) === probe) probes.delete(partition);
        end();
      }
    },

    follow(partition, cost, arrivedAt, now) {
      const probe = probes.get(partition);
      if (probe === undefined || cost < probe.cost) return undefined;
      const left = Math.min(arrivedAt, probe.startedAt) + PATIENCE - now;
      return left > 0 ? withTimeout(left, () => probe.ended) : undefined;
    },
  };
}
