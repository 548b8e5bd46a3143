import { redisVersion } from "../../../../../src/store/redis/inspect.ts";
import { countCommands, type CountedRule } from "./commands.ts";
import { type Connection, ReplyError } from "./connection.ts";
import { probeDecision, scriptClient } from "./decision.ts";
import type { ClockSample, RedisFacts, SlowCommand, UnreachableRedis } from "./redis-facts.ts";

export interface Ways {
  /** The way that the limiter takes. */
  readonly main: Connection;
  /** Asked where the main way refuses. */
  readonly other?: Connection | undefined;
}

export interface GatherOptions {
  readonly through: "rest" | "redis";
  readonly address: URL;
  readonly prefix: string;
  readonly pings: number;
  readonly now: () => number;
  /** Whose commands are counted. */
  readonly rules: readonly CountedRule[];
}

/** The parameters of the configuration that the checks read. */
export const PARAMETERS = [
  "appendfsync",
  "busy-reply-threshold",
  "cluster-require-full-coverage",
  "lua-time-limit",
  "min-replicas-to-write",
  "save",
  "timeout",
];

/** Keys that are looked at. */
const SAMPLE = 1_000;

/** Gathers the facts that the checks of the Redis judge. It writes keys of its own, which expire within two minutes. */
export async function gatherRedis(
  ways: Ways,
  { through, address, prefix, pings, now, rules }: GatherOptions,
): Promise<RedisFacts | UnreachableRedis> {
  const roundTripsMs: number[] = [];
  try {
    for (let i = 0; i < pings; i++) roundTripsMs.push(await roundTrip(ways.main));
  } catch (error) {
    return { through, address, reason: (error as Error).message };
  }
  const ask = askOf(ways);
  const info = parseFields(await ask(["INFO"]));
  const key = `${prefix}:{#doctor}`;
  const dialect = await dialectOf(ways.main, key);
  const facts = {
    clock: await readClock(ask, now),
    dialect,
    // One node of a cluster cannot decide for every key.
    decision: await probeDecision(ways.main, prefix, dialect),
    // A Redis that refuses the decision refuses these, too, and the decision's fault says so.
    commands: await countCommands(scriptClient(ways.main), prefix, dialect, rules).catch(
      () => undefined,
    ),
    version: info?.get("redis_version") ?? (await redisVersion(scriptClient(ways.main), key)),
    scriptsLocked: await areScriptsLocked(ways.main, key),
    info,
    cluster: parseFields(await ask(["CLUSTER", "INFO"])),
    slow: parseSlowLog(await ask(["SLOWLOG", "GET", "128"])),
    keys: countForeign(await ask(["SCAN", "0", "COUNT", `${SAMPLE}`]), prefix),
  };
  const known = Object.entries(facts).filter(([, value]) => value !== undefined);
  const config = await readConfig(ask);
  return { through, address, roundTripsMs, config, ...Object.fromEntries(known) };
}

async function roundTrip(connection: Connection): Promise<number> {
  const startMs = performance.now();
  try {
    const reply = await connection.send(["PING"]);
    if (reply !== "PONG") throw new Error("it answers PING as no Redis does");
  } catch (error) {
    // An error reply took the same way.
    if (!(error instanceof ReplyError)) throw error;
  }
  return performance.now() - startMs;
}

/** Asks by both ways; `undefined` where both refuse. */
type Ask = (command: readonly string[]) => Promise<unknown>;

function askOf({ main, other }: Ways): Ask {
  return async (command) => {
    for (const way of [main, other]) {
      try {
        if (way) return await way.send(command);
      } catch {
        // The other way may know, or none does.
      }
    }
    return undefined;
  };
}

async function readClock(ask: Ask, now: () => number): Promise<ClockSample | undefined> {
  const sentAtMs = now();
  const reply = await ask(["TIME"]);
  const receivedAtMs = now();
  if (!Array.isArray(reply) || reply.length !== 2) return undefined;
  const timeMs = Number(reply[0]) * 1000 + Number(reply[1]) / 1000;
  return { sentAtMs, receivedAtMs, earliestMs: timeMs, latestMs: timeMs };
}

/** @param key is not read: some services refuse scripts without a key */
async function dialectOf(main: Connection, key: string): Promise<RedisFacts["dialect"]> {
  try {
    await main.send(["EVAL", "#!lua flags=allow-key-locking\nreturn 1", "1", key]);
    return "upstash";
  } catch (error) {
    return /shebang|near '#'/.test((error as Error).message) ? "redis" : undefined;
  }
}

/** Removes a field that no metatable has: where scripts may do that, it changes nothing. */
const UNLOCKED = "return pcall(function() getmetatable('').none = nil end) and 1 or 0";

async function areScriptsLocked(main: Connection, key: string): Promise<boolean | undefined> {
  const reply = await main.send(["EVAL", UNLOCKED, "1", key]).catch(() => undefined);
  return reply === 0 || reply === 1 ? reply === 0 : undefined;
}

async function readConfig(ask: Ask): Promise<ReadonlyMap<string, string>> {
  const replies = await Promise.all(
    PARAMETERS.map(async (name) => [name, await ask(["CONFIG", "GET", name])] as const),
  );
  return new Map(
    replies.flatMap(([name, reply]) => {
      const value = Array.isArray(reply)
        ? (reply[1] as unknown)
        : (Object(reply) as Record<string, unknown>)[name];
      return value === undefined ? [] : [[name, String(value)] as const];
    }),
  );
}

function parseFields(text: unknown): ReadonlyMap<string, string> | undefined {
  if (typeof text !== "string") return undefined;
  const lines = text.matchAll(/^([^#:\s][^:\r\n]*):([^\r\n]*)/gm);
  return new Map(Array.from(lines, ([, name, value]) => [name!, value!]));
}

function parseSlowLog(entries: unknown): readonly SlowCommand[] | undefined {
  if (!Array.isArray(entries)) return undefined;
  return entries.flatMap((entry: unknown) => {
    const [, , us, command] = Array.isArray(entry) ? (entry as unknown[]) : [];
    if (!Array.isArray(command)) return [];
    return [{ name: String(command[0]).toUpperCase(), ms: Number(us) / 1000 }];
  });
}

function countForeign(reply: unknown, prefix: string): RedisFacts["keys"] {
  const names: unknown = Array.isArray(reply) ? reply[1] : undefined;
  if (!Array.isArray(names)) return undefined;
  const keys = names.map(String);
  const own = keys.filter((key) => key.startsWith(`${prefix}:{`));
  return { sampled: keys.length, foreign: keys.length - own.length, inTwoLayouts: mixed(own) };
}

/** The policies whose keys end with their algorithm's code and different versions of its layout, which 1 leaves out. */
function mixed(keys: readonly string[]): readonly string[] {
  const layouts = new Map<string, string>();
  const found = new Set<string>();
  for (const key of keys) {
    const [, name, code, layout] = /\}:([^:}]+):([a-z])(\d*)(?::[^:]+)?$/.exec(key) ?? [];
    if (name === undefined) continue;
    const known = layouts.get(`${name}:${code}`) ?? layout!;
    layouts.set(`${name}:${code}`, known);
    if (known !== layout) found.add(name);
  }
  return [...found];
}
