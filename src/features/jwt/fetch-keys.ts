import { createLocalJWKSet, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

import { isRecord } from "../../options/record.ts";
import { readAtMost } from "../../runtime/read-at-most.ts";

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
