import { BridgeError } from "./errors.ts";

/** The memory of a request without its body: two objects of Node, promises, and its command in the queue to Redis. */
const REQUEST_BYTES = 2 * 1024;

/** Large requests take a fraction of a second each. */
const RETRY_AFTER_SECONDS = 1;

/** The memory of a value in a parsed body: an empty object takes 56 bytes, a short text 32 and its place in a list 8. */
export const VALUE_BYTES = 64;

/** The memory of a command in a pipeline until its reply is there. Measured: 1.9 kB. */
export const COMMAND_BYTES = 2 * 1024;

/** A request up to this size is a small one: a decision has 2 kB. */
const SMALL_BYTES = 16 * 1024;

/**
 * The most bytes of all requests under way together. In a heap of 128 MB both take up to four times as much: as text with characters
 * outside Latin-1, and once more as the bytes for Redis.
 */
const MAX_SMALL_BYTES = 16 * 1024 * 1024;
const MAX_LARGE_BYTES = 16 * 1024 * 1024;

/** The part of the process's memory that one request has. */
export interface HeldMemory {
  /** Takes so many bytes more; `false` if the process has no room for them. */
  grow(bytes: number): boolean;
  /** Gives all of it back. */
  free(): void;
}

/**
 * Bounds what requests under way keep in memory, all of them together. The first bytes of each come from a part that large
 * requests do not use, so that small ones are served while large ones are sent.
 */
export function requestMemory(): () => HeldMemory {
  let smallHeld = 0;
  let largeHeld = 0;

  return function hold() {
    let own = 0;

    function grow(bytes: number): boolean {
      const small = Math.max(0, Math.min(bytes, SMALL_BYTES - own));
      const large = bytes - small;
      // One large request always gets in, however large it is.
      const isOnlyLarge = largeHeld === Math.max(0, own - SMALL_BYTES);
      if (smallHeld + small > MAX_SMALL_BYTES) return false;
      if (large > 0 && !isOnlyLarge && largeHeld + large > MAX_LARGE_BYTES) return false;
      smallHeld += small;
      largeHeld += large;
      own += bytes;
      return true;
    }

    function free(): void {
      smallHeld -= Math.min(own, SMALL_BYTES);
      largeHeld -= Math.max(0, own - SMALL_BYTES);
      own = 0;
    }

    requireRoom(grow(REQUEST_BYTES));
    return { grow, free };
  };
}

/** @throws BridgeError 503 */
export function requireRoom(hasRoom: boolean): void {
  if (hasRoom) return;
  throw new BridgeError(
    503,
    "ERR requests under way take all the memory that the bridge has for them. The command was not sent",
    RETRY_AFTER_SECONDS,
  );
}
