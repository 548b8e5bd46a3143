import type { RedisCommand } from "./backend.ts";
import { BridgeError } from "./errors.ts";

/*
 * All requests share one connection. A command that blocks it stalls every client, and one that changes its state (database,
 * subscriber mode, replies, a transaction) changes it for every client. So only commands run that are known to do neither,
 * by their exact names: from Redis 7.0 on a server compares names up to a NUL only, so that a list of the others is no list.
 *
 * SCRIPT KILL and FUNCTION KILL stay out although they leave the connection as it is: they end scripts of other clients, and
 * never one of the bridge, which holds the connection that they would come on.
 */

/** Commands that read or write keys: those of Redis 7.0 that do not block and that scripts may call, and newer ones. */
const WITH_KEYS = `
  APPEND BITCOUNT BITFIELD BITFIELD_RO BITOP BITPOS COPY DECR DECRBY DEL DELEX DIGEST DUMP EXISTS EXPIRE
  EXPIREAT EXPIRETIME GEOADD GEODIST GEOHASH GEOPOS GEORADIUS GEORADIUSBYMEMBER
  GEORADIUSBYMEMBER_RO GEORADIUS_RO GEOSEARCH GEOSEARCHSTORE GET GETBIT GETDEL GETEX GETRANGE
  GETSET HDEL HEXISTS HEXPIRE HEXPIREAT HEXPIRETIME HGET HGETALL HGETDEL HGETEX HINCRBY HINCRBYFLOAT HKEYS
  HLEN HMGET HMSET HPERSIST HPEXPIRE HPEXPIREAT HPEXPIRETIME HPTTL HRANDFIELD HSCAN HSET HSETEX HSETNX
  HSTRLEN HTTL HVALS INCR INCRBY INCRBYFLOAT LCS LINDEX LINSERT LLEN LMOVE LMPOP LPOP LPOS
  LPUSH LPUSHX LRANGE LREM LSET LTRIM MGET MOVE MSET MSETEX MSETNX PERSIST PEXPIRE PEXPIREAT PEXPIRETIME
  PFADD PFCOUNT PFMERGE PSETEX PTTL RENAME RENAMENX RPOP RPOPLPUSH RPUSH RPUSHX SADD
  SCARD SDIFF SDIFFSTORE SET SETBIT SETEX SETNX SETRANGE SINTER SINTERCARD SINTERSTORE SISMEMBER
  SMEMBERS SMISMEMBER SMOVE SORT SORT_RO SPOP SRANDMEMBER SREM SSCAN STRLEN SUBSTR SUNION
  SUNIONSTORE TOUCH TTL TYPE UNLINK XACK XACKDEL XADD XAUTOCLAIM XCLAIM XDEL XDELEX XLEN XPENDING XRANGE
  XREVRANGE XSETID XTRIM ZADD ZCARD ZCOUNT ZDIFF ZDIFFSTORE ZINCRBY ZINTER ZINTERCARD ZINTERSTORE
  ZLEXCOUNT ZMPOP ZMSCORE ZPOPMAX ZPOPMIN ZRANDMEMBER ZRANGE ZRANGEBYLEX ZRANGEBYSCORE
  ZRANGESTORE ZRANK ZREM ZREMRANGEBYLEX ZREMRANGEBYRANK ZREMRANGEBYSCORE ZREVRANGE ZREVRANGEBYLEX
  ZREVRANGEBYSCORE ZREVRANK ZSCAN ZSCORE ZUNION ZUNIONSTORE`;

/** The commands of the module that clients of Upstash use. */
const JSON_MODULE = `
  JSON.ARRAPPEND JSON.ARRINDEX JSON.ARRINSERT JSON.ARRLEN JSON.ARRPOP JSON.ARRTRIM JSON.CLEAR JSON.DEL
  JSON.FORGET JSON.GET JSON.MERGE JSON.MGET JSON.MSET JSON.NUMINCRBY JSON.NUMMULTBY JSON.OBJKEYS JSON.OBJLEN
  JSON.RESP JSON.SET JSON.STRAPPEND JSON.STRLEN JSON.TOGGLE JSON.TYPE`;

const WITHOUT_KEYS = `
  COMMAND DBSIZE ECHO EVAL EVALSHA EVALSHA_RO EVAL_RO FCALL FCALL_RO INFO LASTSAVE LOLWUT PING PUBLISH
  RANDOMKEY ROLE SPUBLISH TIME`;

/** By the first argument, because others of the same name change the connection, the server or its cluster. */
const SUBCOMMANDS: Readonly<Record<string, string>> = {
  ACL: "CAT GENPASS WHOAMI",
  CLUSTER:
    "COUNTKEYSINSLOT GETKEYSINSLOT INFO KEYSLOT LINKS MYID MYSHARDID NODES REPLICAS SHARDS SLOTS",
  FUNCTION: "DUMP LIST STATS",
  LATENCY: "DOCTOR GRAPH HISTOGRAM HISTORY LATEST",
  MEMORY: "DOCTOR MALLOC-STATS STATS USAGE",
  MODULE: "LIST",
  OBJECT: "ENCODING FREQ IDLETIME REFCOUNT",
  PUBSUB: "CHANNELS NUMPAT NUMSUB SHARDCHANNELS SHARDNUMSUB",
  SCRIPT: "EXISTS LOAD",
  SLOWLOG: "GET LEN",
  XGROUP: "CREATE CREATECONSUMER DELCONSUMER DESTROY SETID",
  XINFO: "CONSUMERS GROUPS STREAM",
};

/**
 * Commands that leave the connection as it is, and empty, change or hold up the data of other clients: all keys, the code
 * and the statistics of the server; RESTORE reads bytes that may be made to end it. They run where the options of the bridge
 * allow them.
 */
export const DANGEROUS: readonly string[] = [
  "CONFIG RESETSTAT",
  "FLUSHALL",
  "FLUSHDB",
  "FUNCTION DELETE",
  "FUNCTION FLUSH",
  "FUNCTION LOAD",
  "FUNCTION RESTORE",
  "KEYS",
  "LATENCY RESET",
  "MEMORY PURGE",
  "RESTORE",
  "SCRIPT FLUSH",
  "SLOWLOG RESET",
];

/** Keys that one SCAN looks at, as its COUNT says: a million at once hold Redis up for longer than KEYS does. */
const MAX_SCANNED = 1_000;

/** Reads of streams, by how many values follow each option before the streams. `BLOCK` is not among them. */
const STREAM_OPTIONS: Readonly<Record<string, Readonly<Record<string, number>>>> = {
  XREAD: { COUNT: 1 },
  XREADGROUP: { GROUP: 2, COUNT: 1, NOACK: 0, CLAIM: 1 },
};

/** The parameters that `CONFIG GET` may ask for: how the server works. Others are passwords and paths. */
const READABLE_PARAMETERS = new Set([
  "appendfsync",
  "appendonly",
  "busy-reply-threshold",
  "cluster-require-full-coverage",
  "databases",
  "lua-time-limit",
  "maxmemory",
  "maxmemory-policy",
  "min-replicas-to-write",
  "save",
  "timeout",
]);

const words = (text: string) => text.trim().split(/\s+/);

const ALLOWED = new Set([
  ...words(WITH_KEYS + JSON_MODULE + WITHOUT_KEYS),
  ...Object.entries(SUBCOMMANDS).flatMap(([name, subs]) =>
    words(subs).map((sub) => `${name} ${sub}`),
  ),
]);

/** A name in an error: as much of it as the longest command has. */
const NAME_SHOWN = 32;

/** @throws BridgeError for a command that may do something to other clients */
export type RequireAllowed = (command: RedisCommand) => void;

/** @param granted names of {@link DANGEROUS} */
export function allowedCommands(granted: readonly string[] = []): RequireAllowed {
  const runs = new Set([...ALLOWED, ...granted]);
  return (command) => {
    const { name, args } = command;
    const [first] = args;
    const full = first === undefined ? name : `${name} ${wordOf(first)}`;
    if (runs.has(name) || runs.has(full)) return;
    if (readsStreamsAtOnce(command) || readsParameters(command)) return;
    if (name === "SCAN") return requireShortScan(args);
    const dangerous = DANGEROUS.find((each) => each === name || each === full);
    throw dangerous === undefined ? unknownCommand(name) : notGranted(dangerous);
  };
}

function unknownCommand(name: string): BridgeError {
  return new BridgeError(
    400,
    `ERR Command is not available: '${name.slice(0, NAME_SHOWN)}'. It is not known to leave the connection that all requests share as it is`,
  );
}

function notGranted(name: string): BridgeError {
  return new BridgeError(
    400,
    `ERR Command is not available: '${name}'. It can harm other clients. The bridge runs it if it is started with --allow "${name}"`,
  );
}

/** Pairs of a word and its value come after a cursor. */
function requireShortScan([, ...pairs]: RedisCommand["args"]): void {
  const isLong = pairs.some(
    (word, at) => at % 2 === 0 && wordOf(word) === "COUNT" && Number(pairs[at + 1]) > MAX_SCANNED,
  );
  if (isLong) throw new BridgeError(400, `ERR SCAN takes a COUNT of at most ${MAX_SCANNED}`);
}

function readsStreamsAtOnce({ name, args }: RedisCommand): boolean {
  const options = Object.hasOwn(STREAM_OPTIONS, name) ? STREAM_OPTIONS[name]! : undefined;
  if (options === undefined) return false;
  for (let at = 0; at < args.length;) {
    const word = wordOf(args[at]!);
    if (word === "STREAMS") return true;
    if (!Object.hasOwn(options, word)) return false;
    at += 1 + options[word]!;
  }
  // Redis refuses it: it names no streams.
  return true;
}

function readsParameters({ name, args: [get, ...names] }: RedisCommand): boolean {
  if (name !== "CONFIG" || get === undefined || wordOf(get) !== "GET") return false;
  // A pattern is no name of the list.
  return (
    names.length > 0 && names.every((each) => READABLE_PARAMETERS.has(String(each).toLowerCase()))
  );
}

const wordOf = (arg: RedisCommand["args"][number]) => String(arg).toUpperCase();
