import type { Row } from "../../../src/algorithms/model.ts";
import type { DenialCache } from "../../../src/denials/denial-cache.ts";

interface Denial {
  readonly cost: number;
  readonly sentAt: number;
  readonly until: number;
  readonly shown: number;
  readonly rows: readonly Row[];
}

interface Entry {
  readonly partition: string;
  denial: Denial;
  /** Whether a request was denied by it. */
  denied: boolean;
  /** Since the hand came by. */
  used: boolean;
}

/** What a denial cache has to answer, as plainly as it can be said: entries in a row, and a hand that goes round them. */
export function modelDenialCache(maxEntries: number): DenialCache {
  const entries: (Entry | undefined)[] = [];
  /** Places of what was dropped; the last one is filled first. */
  const vacant: number[] = [];
  let hand = 0;
  let forgotAt = -Infinity;

  function use(partition: string): Entry | undefined {
    const entry = entries.find((candidate) => candidate?.partition === partition);
    if (entry) entry.used = true;
    return entry;
  }

  function drop(entry: Entry): void {
    const place = entries.indexOf(entry);
    entries[place] = undefined;
    vacant.push(place);
  }

  function add(entry: Entry): void {
    if (vacant.length > 0 || entries.length < maxEntries) {
      entries[vacant.pop() ?? entries.length] = entry;
      return;
    }
    for (; entries[hand]!.used; hand = (hand + 1) % maxEntries) entries[hand]!.used = false;
    entries[hand] = entry;
    hand = (hand + 1) % maxEntries;
  }

  return {
    find(partition, cost, now) {
      const entry = use(partition);
      if (!entry || cost < entry.denial.cost) return { state: "unknown" };
      const { denial } = entry;
      if (now >= denial.until) {
        drop(entry);
        return { state: "expired", denied: entry.denied };
      }
      entry.denied = true;
      const left = (time: number) => Math.max(0, time - (now - denial.sentAt) * 1000);
      const rows = denial.rows.map(({ remaining, retryAfterUs, resetAfterUs }) => ({
        allowed: left(retryAfterUs) === 0,
        remaining,
        retryAfterUs: left(retryAfterUs),
        resetAfterUs: left(resetAfterUs),
      }));
      return { state: "denied", nowUs: denial.shown + (now - denial.sentAt) * 1000, rows };
    },
    learn(partition, cost, sentAt, { nowUs: shown, rows }) {
      const wait = Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
      if (wait === 0 || sentAt <= forgotAt) return;
      const until = sentAt + Math.min((wait / 1000) * (1 - 5e-4), 60_000);
      const denial = { cost, sentAt, until, shown, rows };
      const entry = use(partition);
      const denied = rows.some(({ allowed }) => !allowed);
      if (entry) Object.assign(entry, { denial, denied });
      else add({ partition, denial, denied, used: false });
    },
    forget(partition, now) {
      const entry = use(partition);
      if (entry) drop(entry);
      forgotAt = now;
    },
  };
}
