import type { Implementation } from "../../../../../src/algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../../../../../src/algorithms/all.ts";
import { concurrency } from "../../../../../src/features/holds/concurrency-option.ts";
import { Faults } from "../../../../../src/options/faults.ts";
import { compilePolicies } from "../../../../../src/policy/compile.ts";
import { fromData } from "../../../../../src/policy/from-data.ts";
import type { Policy } from "../../../../../src/policy/policy.ts";
import { ALL_SCRIPTS } from "../../../../../src/store/redis/all-scripts.ts";
import type { RedisClient } from "../../../../../src/store/redis/client.ts";
import { dialectAt, type DialectName } from "../../../../../src/store/redis/dialect.ts";
import { isMissingScript, isUnknownDialect } from "../../../../../src/store/redis/errors.ts";
import { redisStore } from "../../../../../src/store/redis/store.ts";
import type { Connection } from "./connection.ts";
import type { DecisionProbe } from "./redis-facts.ts";

const MANY = 1_000;

/**
 * Every algorithm, so that every command that a script may need is tried. Slots apart: a Redis without memory lets them through,
 * because taking one begins with a removal, and after that all that a script writes.
 */
const DECISIONS = [
  Object.values(IMPLEMENTATIONS).map(smallest),
  [concurrency({ limit: MANY, ttl: "1s" })],
].map((policies) => compilePolicies(policies, "policies", new Faults()));

function smallest({ name, options }: Implementation): Policy {
  const values = Object.entries(options)
    .filter(([, option]) => option.kind !== "own" && option.default === undefined)
    .map(([option, { kind }]) => [option, kind === "integer" ? MANY : "1s"]);
  return fromData({ algorithm: name, limit: MANY, ...Object.fromEntries(values) }) as Policy;
}

/**
 * Decides as the limiter does, twice: the first call makes the states, the second one changes them. The keys are those of
 * no identity, because a partition key that begins with `#` has 43 more characters.
 */
export async function probeDecision(
  connection: Connection,
  prefix: string,
  dialect: DialectName | undefined,
): Promise<DecisionProbe> {
  let refusal: string | undefined;
  const client = scriptClient({
    ...connection,
    async send(command) {
      try {
        return await connection.send(command);
      } catch (error) {
        // The store asks again after these, and hides the words of the others.
        if (!isMissingScript(error) && !isUnknownDialect(error)) {
          refusal ??= (error as Error).message;
        }
        throw error;
      }
    },
  });
  const store = redisStore(client, ALL_SCRIPTS, dialectAt("", dialect));
  try {
    for (const policies of DECISIONS) {
      const keys = policies.map(({ key }) => `${prefix}:{#doctor}:${key}`);
      const costs = policies.map(() => 1);
      for (let call = 0; call < 2; call++) {
        const slot = { id: crypto.randomUUID(), ttlUs: 1_000_000 };
        await store.decide("consume", keys, costs, policies, slot);
      }
    }
    return { ok: true };
  } catch (error) {
    return { ok: false, error: refusal ?? (error as Error).message };
  }
}

/** The client that a store needs. */
export function scriptClient({ send }: Connection): RedisClient {
  return {
    evalsha: (sha1, keys, args) => send(["EVALSHA", sha1, `${keys.length}`, ...keys, ...args]),
    eval: (script, keys, args) => send(["EVAL", script, `${keys.length}`, ...keys, ...args]),
  };
}
