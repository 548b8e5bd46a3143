import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

import { isRecord } from "../../options/record.ts";
import { keepAlive } from "../../runtime/keep-alive.ts";
import { readAtMost } from "../../runtime/read-at-most.ts";
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

/** A set has a few keys of less than a kilobyte each; certificates beside them may be longer. */
const MAX_BYTES = 65_536;

/** Less than the pause between two reads, so that no two answers are on their way. */
const TIMEOUT_MS = 5_000;

/** Reads the issuer's keys. Rejects with the reason if there is no answer in time, or one that has no keys. */
export async function fetchKeys(url: string, timeoutMs = TIMEOUT_MS): Promise<JWTVerifyGetKey> {
  const aborted = new AbortController();
  const timer = setTimeout(() => aborted.abort(new Error("no answer in time")), timeoutMs);
  try {
    // A redirect could lead to the keys of somebody else.
    const response = await fetch(url, {
      headers: { Accept: "application/json, application/jwk-set+json" },
      redirect: "manual",
      signal: aborted.signal,
    });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`the status is ${response.status}`);
    }
    const bytes = await readAtMost(response.body, MAX_BYTES);
    if (!bytes) throw new Error(`the answer has more than ${MAX_BYTES} bytes`);
    return createLocalJWKSet(keySetIn(new TextDecoder().decode(bytes)));
  } catch (error) {
    const { message, cause } = error as Error;
    throw new Error(cause instanceof Error ? cause.message : message, { cause: error });
  } finally {
    clearTimeout(timer);
  }
}

/** A set without keys would take all identities away, so it counts as no answer. */
function keySetIn(text: string): JSONWebKeySet {
  let set: unknown;
  try {
    set = JSON.parse(text);
  } catch {
    throw new Error("the answer is no JSON");
  }
  const keys = isRecord(set) ? set["keys"] : undefined;
  if (!Array.isArray(keys) || keys.length === 0) throw new Error("the answer has no keys");
  return { keys: keys as JSONWebKeySet["keys"] };
}
