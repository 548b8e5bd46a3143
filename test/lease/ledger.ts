import type { CountingAlgorithm } from "../../src/policy/policy.ts";

/**
 * The units that a policy would admit, one request at a time, decided alone and without delay. Written from the promises of the
 * algorithms, not from their code. Times in microseconds.
 */
export interface Ledger {
  /** Admits a request, or says how long until the same one has room. */
  ask(nowUs: number): { readonly allowed: boolean; readonly waitUs: number };
}

/** Units per microseconds. */
interface Terms {
  readonly limit: number;
  readonly windowUs: number;
}

const ADMITTED = { allowed: true, waitUs: 0 };
const denied = (waitUs: number) => ({ allowed: false, waitUs });

/** A bucket of `limit` units that is full again after `windowUs`. */
function bucket({ limit, windowUs }: Terms): Ledger {
  let left = limit;
  let seenUs = 0;
  return {
    ask(nowUs) {
      left = Math.min(limit, left + ((nowUs - seenUs) * limit) / windowUs);
      seenUs = nowUs;
      if (left < 1) return denied(((1 - left) * windowUs) / limit);
      left--;
      return ADMITTED;
    },
  };
}

/** Units per calendar window. */
function fixed({ limit, windowUs }: Terms): Ledger {
  const used = new Map<number, number>();
  return {
    ask(nowUs) {
      const window = Math.floor(nowUs / windowUs);
      const count = used.get(window) ?? 0;
      if (count >= limit) return denied((window + 1) * windowUs - nowUs);
      used.set(window, count + 1);
      return ADMITTED;
    },
  };
}

/** Every admission is remembered until the window has passed it. */
function log({ limit, windowUs }: Terms): Ledger {
  const times: number[] = [];
  return {
    ask(nowUs) {
      // Room for one more when the admission `limit` places before it has left the window.
      const before = times.at(-limit);
      if (before !== undefined && before > nowUs - windowUs)
        return denied(before + windowUs - nowUs);
      times.push(nowUs);
      return ADMITTED;
    },
  };
}

/** Counts per segment, of which each is remembered until the window has passed its end. */
function segmented({ limit, windowUs }: Terms, segments: number): Ledger {
  const lengthUs = windowUs / segments;
  const counts = new Map<number, number>();
  return {
    ask(nowUs) {
      const newest = Math.floor(nowUs / lengthUs);
      let used = 0;
      for (const [segment, count] of counts) {
        if (segment < newest - segments) counts.delete(segment);
        else used += count;
      }
      if (used < limit) {
        counts.set(newest, (counts.get(newest) ?? 0) + 1);
        return ADMITTED;
      }
      const oldest = Math.min(...counts.keys());
      return denied((oldest + segments + 1) * lengthUs - nowUs);
    },
  };
}

/** This window's count, and of the last one the share that a trailing window still covers. */
function counter({ limit, windowUs }: Terms): Ledger {
  const counts = new Map<number, number>();
  const used = (nowUs: number) => {
    const window = Math.floor(nowUs / windowUs);
    const passed = nowUs / windowUs - window;
    return (counts.get(window) ?? 0) + (counts.get(window - 1) ?? 0) * (1 - passed);
  };
  return {
    ask(nowUs) {
      if (used(nowUs) + 1 > limit) {
        // The used units only sink while none are admitted, so the first moment with room is found by halving.
        let [full, free] = [nowUs, nowUs + 2 * windowUs];
        while (free - full > 1) {
          const between = Math.floor((full + free) / 2);
          if (used(between) + 1 > limit) full = between;
          else free = between;
        }
        return denied(free - nowUs);
      }
      const window = Math.floor(nowUs / windowUs);
      counts.set(window, (counts.get(window) ?? 0) + 1);
      return ADMITTED;
    },
  };
}

/** The ledgers of all algorithms that lease, by their names. */
export const LEDGERS: Readonly<Record<CountingAlgorithm, (terms: Terms) => Ledger>> = {
  "token-bucket": bucket,
  "fixed-window": fixed,
  "sliding-window-log": log,
  "segmented-window": (terms) => segmented(terms, 10),
  "sliding-window-counter": counter,
};

export type Leasing = CountingAlgorithm;
