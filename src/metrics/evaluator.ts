import type { RedisAddress } from "../store/redis/client.ts";
import { dialectAt } from "../store/redis/dialect.ts";
import type { SendCommand } from "../store/redis/rest.ts";
import { inDialect } from "../store/redis/run-script.ts";

/** Runs a script as this Redis takes it. */
export type Evaluate = (
  script: string,
  keys: readonly string[],
  args: readonly (string | number)[],
) => Promise<unknown>;

/** @param redis where the commands go */
export function evaluator(send: SendCommand, { url, dialect: configured }: RedisAddress): Evaluate {
  const dialect = dialectAt(url, configured);

  return (script, keys, args) =>
    inDialect(dialect, () =>
      send(["EVAL", dialect.firstLine + script, keys.length, ...keys, ...args]),
    );
}
