import { setRecent } from "../../runtime/lru.ts";

/** Denials of one key that the store does not know yet. */
interface Waiting {
  count: number;
  /** How many of them this isolate's memory has counted in place of the store. */
  countedHere: number;
  /** How many denials the store had room for when it answered last. */
  room: number;
  /** When the latest of them happened, in milliseconds of the steady clock. */
  lastAtMs: number;
}

/** Denials that are taken to be counted with one call. */
export interface TakenDenials {
  /** How many the store is to count. */
  readonly count: number;
  /** How many of them this isolate's memory is to count if the store gives no answer. */
  readonly uncountedHere: number;
  /** Lets them wait again, because the store was not asked. */
  putBack(): void;
}

/** The denials that an isolate gave without the store, until a call counts them there. */
export interface WaitingDenials {
  /** Whether one more leaves the store no room, as far as its last answer shows. */
  areFullWithOneMore(key: string): boolean;
  /** Adds a denial; none where the store has no room, because clients have been told when it has some again. */
  add(key: string, nowMs: number): void;
  /** Takes what waits, for a call that counts it. `windowMs`: how long a denial counts. */
  take(key: string, nowMs: number, windowMs: number): TakenDenials;
  /** Notes how many denials the store has room for. */
  noteRoom(key: string, room: number): void;
  /** Drops what waits. */
  forget(key: string): void;
}

/** Keys with denials that wait: as many clients as are denied between two calls of the store. */
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
      // Until the answer arrives nothing is known of the room, so that one call of several counts them.
      Object.assign(waiting, { count: 0, countedHere: 0, room: Infinity });
      if (nowMs - lastAtMs >= windowMs) return NONE;
      return {
        count,
        uncountedHere: count - countedHere,
        putBack() {
          // A reset meanwhile has forgotten them.
          if (all.get(key) !== waiting) return;
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
