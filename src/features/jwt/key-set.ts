import type { JWTVerifyGetKey } from "jose";

import { keepAlive } from "../../runtime/keep-alive.ts";
import { withTimeout } from "../../runtime/time.ts";
import { createWaitingRoom } from "../../runtime/waiting-room.ts";

/** The keys that verify tokens. */
export interface Keys {
  /** The known keys; a promise if the request has to wait for them, and `undefined` if none are known by then. */
  current(): JWTVerifyGetKey | Promise<JWTVerifyGetKey | undefined>;
  /** Newer keys than these, for a token whose key is not among them; the same ones if it is too early to ask again. */
  newer(): Promise<JWTVerifyGetKey | undefined>;
  /** Why the last read failed; `undefined` if it did not. */
  error(): string | undefined;
}

/** How long keys are used without asking again: a key that the issuer takes back verifies for no longer. */
const FRESH_MS = 300_000;

/** How long keys are used while they cannot be read: most outages are shorter. */
const USABLE_MS = 3_600_000;

/** Between two reads: clients can make up the names of keys, and each isolate asks for itself. */
const PAUSE_MS = 10_000;

/** How long a request waits for keys. It then goes on without, while the answer is waited for. */
const WAIT_MS = 1_000;

export interface KeySetOptions {
  readonly read: () => Promise<JWTVerifyGetKey>;
  /** A steady clock, in milliseconds. */
  readonly now: () => number;
  /** Called when reading begins to fail, and when the last known keys have become too old. */
  readonly onError: (message: string) => void;
}

/**
 * Keeps the keys of an issuer as an isolate knows them. On Workers no request may wait for the work of another one, so that only
 * plain data is shared: whoever joins a read waits with a timer of its own.
 */
export function createKeySet({ read, now, onError }: KeySetOptions): Keys {
  const room = createWaitingRoom();
  let known: { readonly keys: JWTVerifyGetKey; readonly readAtMs: number } | undefined;
  let askedAtMs = -Infinity;
  /** On Workers it stays true if the asking request has ended; then others wait no longer than `WAIT_MS`. */
  let isAsking = false;
  let failure: { readonly kind: string; readonly message: string } | undefined;

  function usable(): JWTVerifyGetKey | undefined {
    return known && now() - known.readAtMs < USABLE_MS ? known.keys : undefined;
  }

  async function ask(): Promise<void> {
    try {
      known = { keys: await read(), readAtMs: now() };
      failure = undefined;
    } catch (error) {
      const kind = usable() ? OLD_KEYS : NO_KEYS;
      const message = `${(error as Error).message}. ${kind}`;
      if (kind !== failure?.kind) onError(message);
      failure = { kind, message };
    } finally {
      isAsking = false;
      room.letGoOn();
    }
  }

  /** Begins to read the keys; `undefined` if that was done just now. */
  function begin(): Promise<void> | undefined {
    const nowMs = now();
    if (nowMs - askedAtMs < PAUSE_MS) return undefined;
    askedAtMs = nowMs;
    isAsking = true;
    const asking = ask();
    keepAlive(asking);
    return asking;
  }

  /** Waits for newer keys, if any are under way, and for as long as a request may wait. */
  async function renew(): Promise<JWTVerifyGetKey | undefined> {
    const asking = begin();
    const leftMs = askedAtMs + WAIT_MS - now();
    if (asking) await withTimeout(WAIT_MS, () => asking);
    else if (isAsking && leftMs > 0) await room.wait(leftMs);
    return usable();
  }

  return {
    current() {
      const keys = usable();
      if (!keys) return renew();
      if (now() - known!.readAtMs >= FRESH_MS) void begin();
      return keys;
    },
    newer: renew,
    error: () => failure?.message,
  };
}

export const OLD_KEYS = "Tokens are verified by the keys of before, for up to an hour.";
export const NO_KEYS = "No token is verified until the keys can be read.";
