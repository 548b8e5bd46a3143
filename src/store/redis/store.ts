import type { Row } from "../../algorithms/model.ts";
import { DECIDE_ONE } from "../../algorithms/scripts.generated.ts";
import { StoreError } from "../../options/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { setRecent } from "../../runtime/lru.ts";
import type { Reply, Store } from "../store.ts";
import type { RedisClient } from "./client.ts";
import type { Dialect } from "./dialect.ts";
import { isMissingScript, isUnknownDialect, storeError } from "./errors.ts";
import type { MoreScripts, RunScript } from "./script-calls.ts";
import { type Script, scriptFor, sha1For } from "./script.ts";

/** Computed once for each combination of algorithms and roles. */
interface ScriptCall {
  readonly decide: Script;
  readonly lease: Script | undefined;
  readonly take: Script | undefined;
  /** One text with a letter for each policy, if one of them is not enforced; else nothing. */
  readonly roles: readonly string[];
}

/** The most combinations whose scripts are stored: a limiter has few. */
const MAX_CALLS = 1_000;

/** Fields per policy in the script's reply. */
const WIDTH = 4;

/**
 * Counts in Redis: one EVALSHA per decision, by the server's clock.
 *
 * @param dialect of its scripts. Default: that of stock Redis
 */
export function redisStore(
  redis: RedisClient,
  scripts: MoreScripts = {},
  dialect: Dialect = { firstLine: "" },
): Store {
  // A reset involves no policy.
  const reset = scripts.decide && scriptFor(scripts.decide, []);
  const { holds, lease: leases, take: takes } = scripts;
  const calls = new Map<string, ScriptCall>();

  function callFor(policies: readonly CompiledPolicy[]): ScriptCall {
    let kind = "";
    for (const { implementation, role } of policies) kind += implementation.name + role[0];
    let call = calls.get(kind);
    if (call === undefined) {
      const roles = rolesOf(policies);
      const isOne = policies.length === 1 && roles.length === 0;
      call = {
        decide: scriptFor(isOne ? (scripts.one ?? DECIDE_ONE) : scripts.decide!, policies),
        lease: leases && scriptFor(leases.script, policies),
        take: takes && scriptFor(takes.script, policies),
        roles,
      };
      setRecent(calls, kind, call, MAX_CALLS);
    }
    return call;
  }

  const run = scriptRunner(redis, dialect);

  return {
    async decide(operation, keys, costs, policies, slot, request) {
      const { decide, lease, roles } = callFor(policies);
      // decide-one.lua has no branch for a cost of 0: a call that takes nothing is sent as a peek.
      const sent = costs.length === 1 && costs[0] === 0 ? "peek" : operation;
      const args = [sent, ...argumentsOf(costs, policies)];
      if (operation === "lease") {
        return leases!.take(run, lease!, keys, args, policies, roles, request);
      }
      args.push(...(slot ? holds!.argumentsFor(policies, slot, roles) : roles));
      return parseReply(await run(decide, keys, args, replyLength(policies)));
    },

    ...(takes && {
      take(keys, costs, policies, orders) {
        const args = ["take", ...argumentsOf(costs, policies)];
        return takes.take(run, callFor(policies).take!, keys, args, orders);
      },
    }),

    async reset(keys) {
      // Only the script's own reply confirms the reset.
      await run(reset!, keys, ["reset"], 1);
    },

    ...holds?.open(run),
  };
}

/** The script's arguments about each policy: its cost, and the numbers by which it counts. */
export function argumentsOf(
  costs: readonly number[],
  policies: readonly CompiledPolicy[],
): string[] {
  return policies.flatMap((policy, i) => [
    String(costs[i]),
    ...(policy.implementation.live?.(policy) ?? policy.scriptArguments),
  ]);
}

/** A letter for each policy, in the script's format. */
export function lettersOf(policies: readonly CompiledPolicy[]): string {
  return policies.map(({ role }) => role[0]).join("");
}

/** The script's letters; none if every policy is enforced, or if a policy is alone and cannot count others' denials. */
function rolesOf(policies: readonly CompiledPolicy[]): readonly string[] {
  const roles = lettersOf(policies);
  return /^(?:e*|a)$/.test(roles) ? [] : [roles];
}

/** The time, and the fields of each policy. */
export function replyLength(policies: readonly CompiledPolicy[]): number {
  return 1 + WIDTH * policies.length;
}

export function parseReply(numbers: readonly number[]): Reply {
  const rows: Row[] = [];
  for (let at = 1; at < numbers.length; at += WIDTH) {
    rows.push({
      allowed: numbers[at] === 1,
      remaining: numbers[at + 1]!,
      retryAfterUs: numbers[at + 2]!,
      resetAfterUs: numbers[at + 3]!,
    });
  }
  return { nowUs: numbers[0]!, rows };
}

/** Runs scripts by their SHA-1, and sends their text where a Redis does not have them. */
export function scriptRunner(redis: RedisClient, dialect: Dialect): RunScript {
  const send = (script: Script, keys: string[], args: string[]): Promise<unknown> =>
    inDialect(dialect, async () => {
      const { firstLine } = dialect;
      try {
        const sha1 = script.sha1s.get(firstLine) ?? (await sha1For(script, firstLine));
        return await redis.evalsha(sha1, keys, args);
      } catch (error) {
        // After any other failure the script may have run, and would charge twice.
        if (!isMissingScript(error)) throw error;
        // The answer may have corrected the dialect.
        return redis.eval(dialect.firstLine + script.text, keys, args);
      }
    });

  return async (script, keys, args, length) => {
    try {
      const reply = await send(script, keys as string[], args);
      if (!Array.isArray(reply) || reply.length !== length || !reply.every(Number.isSafeInteger)) {
        throw new StoreError("ERR_STORE_REPLY", "The answer is not one of Tidegate's script.");
      }
      return reply as number[];
    } catch (error) {
      throw storeError(error);
    }
  };
}

/** Sends a script, and sends it once more if Redis rejected its first line, so that it did not run. */
export async function inDialect<Answer>(
  dialect: Dialect,
  send: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await send();
  } catch (error) {
    if (!isUnknownDialect(error)) throw error;
    dialect.firstLine = "";
    return send();
  }
}
