import type { Row } from "../../src/algorithms/model.ts";
import type { DenialCache } from "../../src/decide/denial-cache.ts";

interface Denial {
  readonly costs: readonly number[];
  readonly sentAt: number;
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

/** The answers that a denial cache has to give, as plainly as possible: entries in a row, and a hand that goes round them. */
export function modelDenialCache(maxEntries: number, rowCount: number): DenialCache {
  const entries: (Entry | undefined)[] = [];
  /** Places of dropped entries; the last one is filled first. */
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
    find(partition, given, now) {
      const entry = use(partition);
      if (!entry) return { state: "unknown" };
      const { costs, rows, sentAt, shown } = entry.denial;
      if (now >= sentAt + trusted(rows)) return { state: "expired", denied: entry.denied };
      // The denial of a greater cost says nothing about a smaller one.
      const known = rows.map((row, i) => (given[i]! >= costs[i]! ? row : withoutWait(row)));
      // Nor does that of a smaller cost tell when a greater one has room; the reset does.
      const told = known.map((row, i) => {
        const { retryAfterUs, resetAfterUs } = row;
        const isGreater = given[i]! > costs[i]! && retryAfterUs > 0;
        return isGreater ? { ...row, retryAfterUs: Math.max(retryAfterUs, resetAfterUs) } : row;
      });
      if (now >= sentAt + trusted(known)) return { state: "unknown" };
      entry.denied = true;
      const left = (time: number) => Math.max(0, time - (now - sentAt) * 1000);
      return {
        state: "denied",
        nowUs: shown + (now - sentAt) * 1000,
        rows: told.map(({ remaining, retryAfterUs, resetAfterUs }) => ({
          allowed: left(retryAfterUs) === 0,
          remaining,
          retryAfterUs: left(retryAfterUs),
          resetAfterUs: left(resetAfterUs),
        })),
      };
    },
    drop(partition, before = Infinity) {
      const entry = use(partition);
      if (entry && entry.denial.sentAt < before) drop(entry);
    },
    learn(partition, given, sentAt, reply, deniedBefore = false) {
      const rows = reply.rows.slice(0, rowCount);
      if (trusted(rows) === 0 || sentAt <= forgotAt) return;
      const costs = given.slice(0, rowCount);
      const denial = { costs, sentAt, shown: reply.nowUs, rows };
      const entry = use(partition);
      const denied = deniedBefore || rows.some(({ allowed }) => !allowed);
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

function withoutWait(row: Row): Row {
  return { ...row, retryAfterUs: 0 };
}

/** For how many milliseconds the longest wait of these rows is trusted. */
function trusted(rows: readonly Row[]): number {
  const wait = Math.max(...rows.map(({ retryAfterUs }) => retryAfterUs));
  return Math.min((wait / 1000) * (1 - 5e-4), 60_000);
}
