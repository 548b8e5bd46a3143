import type { Row } from "../../algorithms/model.ts";
import { DECIDE, KEY_LOCKING } from "../../algorithms/scripts.generated.ts";
import { StoreError } from "../../errors/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Reply, Store, StoreFacts } from "../store.ts";
import type { RedisClient } from "./client.ts";
import { isMissingScript, isUnknownDialect, storeError } from "./errors.ts";
import { type Frame, nameOf, type Script, scriptFor } from "./script.ts";
import { withVersion } from "./version.ts";

/** What stands before the script: Upstash wants a line that every other Redis refuses. */
type Dialect = typeof PLAIN | typeof KEY_LOCKING;
const PLAIN = "";

/** One way to have the script run: by its name, or by sending it. */
interface Attempt {
  readonly dialect: Dialect;
  readonly sent: boolean;
}

const byName = (dialect: Dialect): Attempt => ({ dialect, sent: false });
const bySending = (dialect: Dialect): Attempt => ({ dialect, sent: true });

/** Where nothing is known yet: what another isolate may have loaded, then what the server takes. */
const UNKNOWN = [byName(KEY_LOCKING), byName(PLAIN), bySending(KEY_LOCKING), bySending(PLAIN)];
const KNOWN = new Map<Dialect, readonly Attempt[]>([
  [KEY_LOCKING, [byName(KEY_LOCKING), bySending(KEY_LOCKING), bySending(PLAIN)]],
  [PLAIN, [byName(PLAIN), bySending(PLAIN)]],
]);

/** Counts in Redis. */
export interface RedisStore extends Store {
  /** Which scripts the server takes. */
  dialect(): NonNullable<StoreFacts["dialect"]>;
}

/** What is the same with every decision of the same policies: the scripts, and their groups of the arguments. */
interface ScriptCall {
  readonly decide: Script;
  readonly lease: Script | undefined;
  readonly groups: readonly string[];
}

/** A reset asks no policy. */
const RESET = scriptFor(DECIDE, []);

/** Fields per policy in the script's reply. */
const WIDTH = 4;

/**
 * Counts in Redis: one EVALSHA per decision, by the server's clock.
 *
 * @param leases the script that takes leases; who takes none need not load it
 */
export function redisStore(redis: RedisClient, leases?: Frame): RedisStore {
  let attempts: readonly Attempt[] = UNKNOWN;
  let next = 0;
  // By the list itself: a limiter always asks with the same one.
  const calls = new WeakMap<readonly CompiledPolicy[], ScriptCall>();

  function callFor(policies: readonly CompiledPolicy[]): ScriptCall {
    let call = calls.get(policies);
    if (call === undefined) {
      call = {
        decide: scriptFor(DECIDE, policies),
        lease: leases && scriptFor(leases, policies),
        groups: policies.flatMap(({ scriptArguments }) => scriptArguments),
      };
      calls.set(policies, call);
    }
    return call;
  }

  async function run(script: Script, keys: string[], args: string[]): Promise<unknown> {
    const mine = attempts;
    for (let at = next; ; at++) {
      const { dialect, sent } = mine[at]!;
      try {
        const reply = await (sent
          ? redis.eval(dialect + script.text, keys, args)
          : redis.evalsha(
              script.names.get(dialect) ?? (await nameOf(script, dialect)),
              keys,
              args,
            ));
        attempts = KNOWN.get(dialect)!;
        next = 0;
        return reply;
      } catch (error) {
        // Only a script that did not run is tried again: any other failure may have, and would charge twice.
        const ran = !isMissingScript(error) && !isUnknownDialect(error);
        if (ran || at + 1 === mine.length) throw error;
        // Remembered at once: far from Redis the timeout may end before the next attempt does, and the next request
        // must go on from here instead of starting over.
        if (attempts === mine && next === at) next = at + 1;
      }
    }
  }

  return {
    async decide(operation, keys, cost, policies) {
      const { decide, lease, groups } = callFor(policies);
      const args = [operation, String(cost), ...groups];
      const leased = operation === "lease";
      try {
        const reply = await run(leased ? lease! : decide, keys as string[], args);
        return parseReply(reply, policies.length, leased);
      } catch (error) {
        throw await withVersion(redis, storeError(error));
      }
    },

    async reset(keys) {
      try {
        // Read, because anything else than the script's answer confirms nothing.
        parseReply(await run(RESET, keys as string[], ["reset"]), 0, false);
      } catch (error) {
        throw await withVersion(redis, storeError(error));
      }
    },

    dialect() {
      if (attempts === UNKNOWN) return "unknown";
      return attempts[0]!.dialect === PLAIN ? "redis" : "upstash";
    },
  };
}

function parseReply(reply: unknown, policies: number, lease: boolean): Reply {
  const end = 1 + WIDTH * policies;
  if (
    !Array.isArray(reply) ||
    reply.length !== end + Number(lease) ||
    !reply.every(Number.isSafeInteger)
  ) {
    throw new StoreError("ERR_STORE_REPLY", "The answer is not one of Tidegate's script.");
  }
  const numbers = reply as number[];
  const rows: Row[] = [];
  for (let at = 1; at < end; at += WIDTH) {
    rows.push({
      allowed: numbers[at] === 1,
      remaining: numbers[at + 1]!,
      retryAfterUs: numbers[at + 2]!,
      resetAfterUs: numbers[at + 3]!,
    });
  }
  return { nowUs: numbers[0]!, rows, ...(lease && { taken: numbers[end]! }) };
}
