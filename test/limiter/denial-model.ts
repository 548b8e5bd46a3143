import type { DenialCache } from "../../src/limiter/denial-cache.ts";
import type { Row } from "../../src/store/store.ts";

interface Denial {
  readonly cost: number;
  readonly sentAt: number;
  readonly until: number;
  readonly rows: readonly Row[];
}

/** What a denial cache has to answer, as plainly as it can be said: a Map in the order of use. */
export function modelDenialCache(maxEntries: number): DenialCache {
  const known = new Map<string, Denial>();
  let forgotAt = -Infinity;

  return {
    find(partition, cost, now) {
      const denial = known.get(partition);
      if (!denial || cost < denial.cost) return undefined;
      known.delete(partition);
      if (now >= denial.until) return null;
      known.set(partition, denial);
      const left = (time: number) => Math.max(0, time - (now - denial.sentAt) * 1000);
      return denial.rows.map(({ remaining, retryAfter, resetAfter }) => ({
        allowed: left(retryAfter) === 0,
        remaining,
        retryAfter: left(retryAfter),
        resetAfter: left(resetAfter),
      }));
    },
    learn(partition, cost, sentAt, rows) {
      const wait = Math.max(...rows.map(({ retryAfter }) => retryAfter));
      if (wait === 0 || sentAt <= forgotAt) return;
      const until = sentAt + Math.min((wait / 1000) * (1 - 5e-4), 60_000);
      known.delete(partition);
      known.set(partition, { cost, sentAt, until, rows });
      if (known.size > maxEntries) known.delete([...known.keys()][0]!);
    },
    forget(partition, now) {
      known.delete(partition);
      forgotAt = now;
    },
  };
}
