import { setRecent } from "../../runtime/lru.ts";

/** Denials of one key that the store does not know yet. */
interface Waiting {
  count: number;
  /** The number of them that this isolate's memory counted in place of the store. */
  countedHere: number;
  /** The room for denials in the store's last answer. */
  room: number;
  /** The time of the latest denial, in milliseconds of the steady clock. */
  lastAtMs: number;
}

/** Denials that one call takes to the store. */
export interface TakenDenials {
  /** The number for the store to count. */
  readonly count: number;
  /** The number for this isolate's memory to count if the store gives no answer. */
  readonly uncountedHere: number;
  /** Returns them to the queue, because the store was not asked. */
  putBack(): void;
}

/** The denials that an isolate gave without the store, until a call delivers them. */
export interface WaitingDenials {
  /** Whether one more denial leaves no room, by the store's last answer. */
  areFullWithOneMore(key: string): boolean;
  /** Adds a denial; ignored if the store has no room, because clients know the end of the ban already. */
  add(key: string, nowMs: number): void;
  /** Takes the waiting denials for a call. `windowMs`: the time for which a denial counts. */
  take(key: string, nowMs: number, windowMs: number): TakenDenials;
  /** Notes the store's room for denials. */
  noteRoom(key: string, room: number): void;
  /** Drops the waiting denials. */
  forget(key: string): void;
}

/** The most keys with waiting denials: the clients that are denied between two calls of the store. */
const MAX_KEYS = 10_000;

const NONE: TakenDenials = { count: 0, uncountedHere: 0, putBack() {} };

export function createWaitingDenials(): WaitingDenials {
  const all = new Map<string, Waiting>();

  function waitingOf(key: string): Waiting {
    const waiting = all.get(key) ?? { count: 0, countedHere: 0, room: Infinity, lastAtMs: 0 };
    setRecent(all, key, waiting, MAX_KEYS);
    return waiting;
  }

  return {
    areFullWithOneMore(key) {
      const { count, room } = all.get(key) ?? { count: 0, room: Infinity };
      return room > 0 && count + 1 >= room;
    },

    add(key, nowMs) {
      const waiting = waitingOf(key);
      if (waiting.room === 0) return;
      waiting.count++;
      waiting.lastAtMs = nowMs;
    },

    take(key, nowMs, windowMs) {
      const waiting = all.get(key);
      if (!waiting) return NONE;
      const { count, countedHere, lastAtMs } = waiting;
      // The room is unknown until the answer arrives, so that only one of several calls counts them.
      Object.assign(waiting, { count: 0, countedHere: 0, room: Infinity });
      if (nowMs - lastAtMs >= windowMs) return NONE;
      return {
        count,
        uncountedHere: count - countedHere,
        putBack() {
          // Without effect if a reset has dropped `waiting` meanwhile.
          waiting.count += count;
          waiting.countedHere += count;
        },
      };
    },

    noteRoom(key, room) {
      waitingOf(key).room = room;
    },

    forget(key) {
      all.delete(key);
    },
  };
}
