import type { BackendReply, RedisCommand } from "./backend.ts";
import { toCommand } from "./connection.ts";
import { BridgeError } from "./errors.ts";

type Merge = (replies: BackendReply[]) => BackendReply;

const first: Merge = (replies) => replies[0] ?? null;
const sum: Merge = (replies) => replies.reduce<number>((total, n) => total + Number(n), 0);
const concatenate: Merge = (replies) => replies.flat(1);
/** A script counts as loaded where every master has it, since any of them may be asked to run it. */
const onAll: Merge = (replies) => {
  const rows = replies as number[][];
  return (rows[0] ?? []).map((_, i) => Math.min(...rows.map((row) => row[i] ?? 0)));
};

/** Commands that have no key and mean the whole data set, or every node's own state. */
const wholeCluster: Record<string, Merge> = {
  FLUSHALL: first,
  FLUSHDB: first,
  DBSIZE: sum,
  KEYS: concatenate,
  "CONFIG RESETSTAT": first,
  "SCRIPT LOAD": first,
  "SCRIPT FLUSH": first,
  "SCRIPT EXISTS": onAll,
  "FUNCTION LOAD": first,
  "FUNCTION DELETE": first,
  "FUNCTION FLUSH": first,
};

export function clusterWide({ name, args }: RedisCommand): Merge | undefined {
  if (name === "SCAN") {
    throw new BridgeError(
      400,
      "ERR Command is not available: 'SCAN'. Its cursor belongs to one node of the cluster",
    );
  }
  return wholeCluster[name] ?? wholeCluster[`${name} ${String(args[0]).toUpperCase()}`];
}

const numkeysAt: Record<string, number> = {
  ...at(0, "LMPOP ZMPOP ZUNION ZINTER ZDIFF SINTERCARD ZINTERCARD SUNIONCARD SDIFFCARD MSETEX"),
  ...at(1, "EVAL EVALSHA EVAL_RO EVALSHA_RO FCALL FCALL_RO ZUNIONSTORE ZINTERSTORE ZDIFFSTORE"),
};

function at(position: number, names: string): Record<string, number> {
  return Object.fromEntries(names.split(" ").map((name) => [name, position]));
}

/**
 * ioredis looks for the keys before anything is sent. A key that isn't there makes it throw, and a
 * numkeys of 10^11 makes it list as many positions, which ends the process, not the request.
 */
export function refuseImpossibleKeys(command: RedisCommand): void {
  const { name, args } = command;
  const position = numkeysAt[name];
  if (position !== undefined && Number(args[position]) > args.length - position - 1) {
    throw new BridgeError(400, "ERR Number of keys can't be greater than number of args");
  }
  if (
    toCommand(command)
      .getKeys()
      .some((key) => key === undefined)
  ) {
    const lower = name.toLowerCase();
    throw new BridgeError(400, `ERR wrong number of arguments for '${lower}' command`);
  }
}
