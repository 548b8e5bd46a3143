import type { Row, Slot } from "../../algorithms/model.ts";
import { DECIDE_ONE } from "../../algorithms/scripts.generated.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { setRecent } from "../../runtime/lru.ts";
import type { LeaseRequest, RegionOrder, Reply, Store, TakenReply } from "../store.ts";
import type { RedisClient } from "./client.ts";
import type { Dialect } from "./dialect.ts";
import { type RunScript, scriptRunner } from "./run-script.ts";
import { type Script, scriptFor, type ScriptTemplate } from "./script.ts";

/** Computed once for each combination of algorithms and roles. */
interface ScriptCall {
  readonly decide: Script;
  readonly lease: Script | undefined;
  readonly take: Script | undefined;
  /** One text with a letter for each policy, if one of them is not enforced; else nothing. */
  readonly roles: readonly string[];
}

/** The scripts of a store. A bundle contains the given ones, and the one that decides a single policy. */
export interface MoreScripts {
  /** Decides a single policy in place of the one that limiters have. */
  readonly one?: ScriptTemplate;
  /** Decides several policies, and resets. */
  readonly decide?: ScriptTemplate;
  readonly lease?: LeaseCalls;
  readonly take?: TakeCalls;
  readonly holds?: HoldCalls;
}

/** The call that takes a lease. */
export interface LeaseCalls {
  readonly script: ScriptTemplate;
  /** @param args those of a decision */
  take(
    run: RunScript,
    script: Script,
    keys: readonly string[],
    args: string[],
    policies: readonly CompiledPolicy[],
    roles: readonly string[],
    request?: LeaseRequest,
  ): Promise<Reply>;
}

/** The call of a region at its home. */
export interface TakeCalls {
  readonly script: ScriptTemplate;
  /** @param args those of a decision */
  take(
    run: RunScript,
    script: Script,
    keys: readonly string[],
    args: string[],
    orders: readonly RegionOrder[],
  ): Promise<TakenReply>;
}

/** The calls that give units back, and change the slots of holds. */
export interface HoldCalls {
  /** The arguments after the policies in a decision with a slot. */
  argumentsFor(
    policies: readonly CompiledPolicy[],
    slot: Slot,
    roles: readonly string[],
  ): readonly string[];
  open(run: RunScript): Required<Pick<Store, "refund" | "extend">>;
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
      // A cost of 0 is no case of its own in decide-one.lua: a call that takes nothing is a peek.
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
