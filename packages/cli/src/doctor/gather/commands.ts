import { IMPLEMENTATIONS } from "../../../../../src/algorithms/all.ts";
import { Faults } from "../../../../../src/options/faults.ts";
import { compilePolicies } from "../../../../../src/policy/compile.ts";
import { fromData } from "../../../../../src/policy/from-data.ts";
import type { CountingAlgorithm, Policy } from "../../../../../src/policy/policy.ts";
import { ALL_SCRIPTS } from "../../../../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../../../../src/store/redis/client.ts";
import { dialectAt, type DialectName } from "../../../../../src/store/redis/dialect.ts";
import { redisStore } from "../../../../../src/store/redis/store.ts";

/** A rule, by the algorithms of its policies. */
export interface CountedRule {
  readonly name: string;
  readonly algorithms: readonly CountingAlgorithm[];
}

/** The commands of one rule's decisions, as the scripts ran them on this Redis. */
export interface RuleCommands {
  readonly name: string;
  /** With the EVALSHA itself. */
  readonly allowed: number;
  readonly denied: number;
}

/** A script that also replies how many commands it ran. */
const counting = (script: string): string => `local server, count = redis, 0
local redis = {
  call = function(...) count = count + 1 return server.call(...) end,
  pcall = function(...) count = count + 1 return server.pcall(...) end,
}
local reply = (function()
${script}
end)()
reply[#reply + 1] = count
return reply`;

/** As few units as a denial needs, and as long a window as the keys of the doctor may live. */
const [LIMIT, WINDOW] = [2, "60s"];

/** Decides by the scripts of these rules, and counts the commands that they run, with the EVALSHA. */
export async function countCommands(
  client: RedisClient,
  prefix: string,
  dialect: DialectName | undefined,
  rules: readonly CountedRule[],
): Promise<readonly RuleCommands[]> {
  let commands = 0;
  const counted: RedisClient = {
    evalsha: () => Promise.reject(new Error("NOSCRIPT The counting script is another one.")),
    async eval(script, keys, args) {
      const [, firstLine, text] = /^(#!.*\n)?([^]*)$/.exec(script)!;
      const reply = (await client.eval(
        (firstLine ?? "") + counting(text!),
        keys,
        args,
      )) as number[];
      commands = 1 + reply.pop()!;
      return reply;
    },
  };
  const store = redisStore(counted, ALL_SCRIPTS, dialectAt("", dialect));
  const found: RuleCommands[] = [];
  for (const { name, algorithms } of rules) {
    const policies = compilePolicies(algorithms.map(smallPolicy), "policies", new Faults());
    const keys = policies.map(({ key }) => `${prefix}:{#doctor}:${key}`);
    const decide = async () => {
      const costs = policies.map(() => 1);
      await store.decide("consume", keys, costs, policies);
      return commands;
    };
    await store.reset(keys);
    await decide();
    const allowed = await decide();
    found.push({ name, allowed, denied: await decide() });
    await store.reset(keys);
  }
  return found;
}

/** A policy with the least options that its algorithm has. */
function smallPolicy(algorithm: CountingAlgorithm, index: number): Policy {
  const values = Object.entries(IMPLEMENTATIONS[algorithm].options)
    .filter(([, option]) => option.kind !== "own" && option.default === undefined)
    .map(([option, { kind }]) => [option, kind === "integer" ? LIMIT : WINDOW]);
  const named = { algorithm, limit: LIMIT, name: `counted-${index}` };
  return fromData({ ...named, ...Object.fromEntries(values) }) as Policy;
}
