import type { Row } from "../../algorithms/model.ts";
import { REPLICA } from "../../algorithms/scripts.generated.ts";
import { StoreError } from "../../errors/errors.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { setRecent } from "../../runtime/lru.ts";
import { TIMED_OUT, withTimeout } from "../../runtime/timeout.ts";
import type { ScriptClient } from "../../store/redis/client.ts";
import { inDialect } from "../../store/redis/dialect.ts";
import { isMissingScript, storeError } from "../../store/redis/errors.ts";
import { type Script, scriptFor, sha1For } from "../../store/redis/script.ts";
import { argumentsOf } from "../../store/redis/store.ts";

/** A replica of the Redis that counts. It is only read. */
export interface Replica {
  /**
   * Reads how long requests would have to wait, one row per policy.
   *
   * @param latestUs the latest time that the primary's clock can show; the rows are of this time
   * @returns `undefined` if only the primary can say
   * @throws StoreError without an answer in time
   */
  read(
    keys: readonly string[],
    costs: readonly number[],
    policies: readonly CompiledPolicy[],
    latestUs: number,
  ): Promise<readonly Row[] | undefined>;
  /** Hears that the primary admitted what the replica denied. */
  readonly refuted?: () => void;
}

/** The script's error where a state has to be repaired, which a replica cannot do, and which may be newer at the primary. */
const REPAIR = "REPAIR";

/** Fields per policy in the script's reply. */
const WIDTH = 4;

/** The most combinations of algorithms whose scripts are stored: a limiter has few. */
const MAX_SCRIPTS = 100;

/** @param timeoutMs the time limit of an answer, also of the first one: the primary can always decide instead */
export function createReplica({ client, dialect }: ScriptClient, timeoutMs: number): Replica {
  const scripts = new Map<string, Script>();

  function scriptOf(policies: readonly CompiledPolicy[]): Script {
    const kind = policies.map(({ implementation }) => implementation.name).join();
    const known = scripts.get(kind);
    if (known) return known;
    const script = scriptFor(REPLICA, policies);
    setRecent(scripts, kind, script, MAX_SCRIPTS);
    return script;
  }

  const run = (script: Script, keys: string[], args: string[]): Promise<unknown> =>
    inDialect(dialect, async () => {
      const { firstLine } = dialect;
      try {
        const sha1 = script.sha1s.get(firstLine) ?? (await sha1For(script, firstLine));
        return await client.evalsha(sha1, keys, args);
      } catch (error) {
        if (!isMissingScript(error)) throw error;
        return client.eval(dialect.firstLine + script.text, keys, args);
      }
    });

  return {
    async read(keys, costs, policies, latestUs) {
      const args = [String(latestUs), ...argumentsOf(costs, policies)];
      try {
        const reply = await withTimeout(timeoutMs, () =>
          run(scriptOf(policies), keys as string[], args),
        );
        if (reply === TIMED_OUT) {
          throw new StoreError("ERR_STORE_TIMEOUT", `It did not answer within ${timeoutMs} ms.`);
        }
        return rowsOf(reply, policies.length);
      } catch (error) {
        if (String((error as Error).message).includes(REPAIR)) return undefined;
        throw storeError(error);
      }
    },
  };
}

function rowsOf(reply: unknown, count: number): readonly Row[] {
  if (!Array.isArray(reply) || reply.length !== WIDTH * count || !reply.every(isCount)) {
    throw new StoreError("ERR_STORE_REPLY", "The answer is not one of Tidegate's script.");
  }
  return Array.from({ length: count }, (_, i): Row => {
    const [allowed, remaining, retryAfterUs, resetAfterUs] = reply.slice(WIDTH * i) as number[];
    return {
      allowed: allowed === 1,
      remaining: remaining!,
      retryAfterUs: retryAfterUs!,
      resetAfterUs: resetAfterUs!,
    };
  });
}

function isCount(number: unknown): boolean {
  return Number.isSafeInteger(number) && (number as number) >= 0;
}
