import type { Row, Slot } from "../../algorithms/model.ts";
import { DECIDE_ONE, KEY_LOCKING } from "../../algorithms/scripts.generated.ts";
import { StoreError } from "../../errors/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Reply, Store, StoreFacts } from "../store.ts";
import type { RedisClient } from "./client.ts";
import { isMissingScript, isUnknownDialect, storeError } from "./errors.ts";
import { type ScriptTemplate, sha1For, type Script, scriptFor } from "./script.ts";
import { withVersion } from "./version.ts";

/** The first line of the script: Upstash needs one that every other Redis rejects. */
type Dialect = typeof PLAIN | typeof KEY_LOCKING;
const PLAIN = "";

/** One way to run the script: by its SHA-1, or by sending its source. */
interface Attempt {
  readonly dialect: Dialect;
  readonly source: boolean;
}

const bySha1 = (dialect: Dialect): Attempt => ({ dialect, source: false });
const bySource = (dialect: Dialect): Attempt => ({ dialect, source: true });

/** Before anything is known: first what another isolate may have loaded, then what the server accepts. */
const UNKNOWN = [bySha1(KEY_LOCKING), bySha1(PLAIN), bySource(KEY_LOCKING), bySource(PLAIN)];
const KNOWN = new Map<Dialect, readonly Attempt[]>([
  [KEY_LOCKING, [bySha1(KEY_LOCKING), bySource(KEY_LOCKING), bySource(PLAIN)]],
  [PLAIN, [bySha1(PLAIN), bySource(PLAIN)]],
]);

/** Counts in Redis. */
export interface RedisStore extends Store {
  /** Which kind of scripts the server accepts. */
  dialect(): NonNullable<StoreFacts["dialect"]>;
}

/** Computed once per list of policies. */
interface ScriptCall {
  readonly decide: Script;
  readonly lease: Script | undefined;
  /** A letter per policy, if one of them is not enforced; else empty. */
  readonly roles: readonly string[];
}

/** The scripts besides the one for a single policy. A bundle contains those that are given. */
export interface MoreScripts {
  /** Decides several policies, and resets. */
  readonly decide?: ScriptTemplate;
  readonly lease?: ScriptTemplate;
  readonly holds?: HoldCalls;
}

/** Runs a script whose reply has this many numbers. */
export type Ask = (
  script: Script,
  keys: readonly string[],
  args: string[],
  length: number,
) => Promise<readonly number[]>;

/** What gives back, and what is done with the slots of holds. */
export interface HoldCalls {
  /** What follows the policies in the arguments of a decision that comes with a slot. */
  argumentsFor(
    policies: readonly CompiledPolicy[],
    slot: Slot,
    roles: readonly string[],
  ): readonly string[];
  open(ask: Ask): Required<Pick<Store, "refund" | "extend">>;
}

/** Fields per policy in the script's reply. */
const WIDTH = 4;

/** Counts in Redis: one EVALSHA per decision, by the server's clock. */
export function redisStore(redis: RedisClient, scripts: MoreScripts = {}): RedisStore {
  // A reset involves no policy.
  const reset = scripts.decide && scriptFor(scripts.decide, []);
  const { holds } = scripts;
  let attempts: readonly Attempt[] = UNKNOWN;
  let next = 0;
  // Keyed by the list itself: a limiter always passes the same one.
  const calls = new WeakMap<readonly CompiledPolicy[], ScriptCall>();

  function callFor(policies: readonly CompiledPolicy[]): ScriptCall {
    let call = calls.get(policies);
    if (call === undefined) {
      const roles = rolesOf(policies);
      const isOne = policies.length === 1 && roles.length === 0;
      call = {
        decide: scriptFor(isOne ? DECIDE_ONE : scripts.decide!, policies),
        lease: scripts.lease && scriptFor(scripts.lease, policies),
        roles,
      };
      calls.set(policies, call);
    }
    return call;
  }

  async function run(script: Script, keys: string[], args: string[]): Promise<unknown> {
    const mine = attempts;
    for (let at = next; ; at++) {
      const { dialect, source } = mine[at]!;
      try {
        const reply = await (source
          ? redis.eval(dialect + script.text, keys, args)
          : redis.evalsha(
              script.sha1s.get(dialect) ?? (await sha1For(script, dialect)),
              keys,
              args,
            ));
        attempts = KNOWN.get(dialect)!;
        next = 0;
        return reply;
      } catch (error) {
        // Retry only a script that did not run: after any other failure it may have, and would charge twice.
        const ran = !isMissingScript(error) && !isUnknownDialect(error);
        if (ran || at + 1 === mine.length) throw error;
        // Remembered at once: far from Redis the timeout may come before the next attempt ends, and the next request
        // must continue from here instead of starting over.
        if (attempts === mine && next === at) next = at + 1;
      }
    }
  }

  const ask: Ask = async (script, keys, args, length) => {
    try {
      const reply = await run(script, keys as string[], args);
      if (!Array.isArray(reply) || reply.length !== length || !reply.every(Number.isSafeInteger)) {
        throw new StoreError("ERR_STORE_REPLY", "The answer is not one of Tidegate's script.");
      }
      return reply as number[];
    } catch (error) {
      throw await withVersion(redis, storeError(error));
    }
  };

  return {
    async decide(operation, keys, costs, policies, slot) {
      const { decide, lease, roles } = callFor(policies);
      // The script for one policy takes whatever cost it is given.
      const asked = costs.length === 1 && costs[0] === 0 ? "peek" : operation;
      const more = slot ? holds!.argumentsFor(policies, slot, roles) : roles;
      const args = [asked, ...groupsOf(costs, policies), ...more];
      const leased = operation === "lease";
      const end = 1 + WIDTH * policies.length;
      const script = leased ? lease! : decide;
      return parseReply(await ask(script, keys, args, end + Number(leased)), end);
    },

    async reset(keys) {
      // Only the script's own reply confirms it.
      await ask(reset!, keys, ["reset"], 1);
    },

    ...holds?.open(ask),

    dialect() {
      if (attempts === UNKNOWN) return "unknown";
      return attempts[0]!.dialect === PLAIN ? "redis" : "upstash";
    },
  };
}

/** Each policy's group of the script's arguments. */
export function groupsOf(costs: readonly number[], policies: readonly CompiledPolicy[]): string[] {
  return policies.flatMap(({ scriptArguments }, i) => [String(costs[i]), ...scriptArguments]);
}

/** A letter for each policy, as the script takes them. */
export function lettersOf(policies: readonly CompiledPolicy[]): string {
  return policies.map(({ role }) => role[0]).join("");
}

/** The script's letters; none if every policy is enforced, or one is alone and cannot count the denials of others. */
function rolesOf(policies: readonly CompiledPolicy[]): readonly string[] {
  const roles = lettersOf(policies);
  return /^(?:e*|a)$/.test(roles) ? [] : [roles];
}

function parseReply(numbers: readonly number[], end: number): Reply {
  const rows: Row[] = [];
  for (let at = 1; at < end; at += WIDTH) {
    rows.push({
      allowed: numbers[at] === 1,
      remaining: numbers[at + 1]!,
      retryAfterUs: numbers[at + 2]!,
      resetAfterUs: numbers[at + 3]!,
    });
  }
  const taken = numbers[end];
  return { nowUs: numbers[0]!, rows, ...(taken !== undefined && { taken }) };
}
