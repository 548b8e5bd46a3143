import { compare } from "../compare.ts";
import type { Figure, Part } from "../figure.ts";
import {
  decisionCall,
  type ScriptCall,
  type Subject,
  upstashFixedWindow,
  upstashSlidingWindow,
  upstashTokenBucket,
} from "../redis/commands.ts";
import { type CountedRedis, openCountedRedis } from "./callgrind.ts";

type Algorithms = Parameters<typeof decisionCall>[2];

/** The peer of the fixed window counts by the client's clock. */
const EXACT = "it reads the server's clock, and takes nothing where the limit has no room";

const PEERS: readonly (readonly [ours: Algorithms[number], peer: Subject, because?: string])[] = [
  ["token-bucket", upstashTokenBucket],
  ["sliding-window-counter", upstashSlidingWindow],
  ["segmented-window", upstashSlidingWindow],
  ["fixed-window", upstashFixedWindow, EXACT],
];

/** A log, which has no peer, and from one policy to five, of each algorithm one. */
const ALONE: readonly (readonly [name: string, Algorithms])[] = [
  ["sliding-window-log", ["sliding-window-log"]],
  ...[1, 2, 3, 4, 5].map(
    (count) =>
      [
        count === 1 ? "one policy" : `${count} policies`,
        (
          [
            "token-bucket",
            "fixed-window",
            "sliding-window-counter",
            "segmented-window",
            "sliding-window-log",
          ] as const
        ).slice(0, count),
      ] as const,
  ),
];

const OPERATIONS = ["allow", "deny"] as const;
const WINDOW = 432_000_000;
/** The number of calls before the measured ones, which make the states. */
const WARM = 5;

/**
 * How many instructions the server carries out for a decision: the same on every machine, whatever else it does.
 */
export const instructionsPart: Part = async ({ short, tell }) => {
  const calls = short ? 10 : 400;
  const server = await openCountedRedis();
  try {
    const figures: Figure[] = [];
    const whole = OPERATIONS.length * (PEERS.length + ALONE.length);
    let done = 0;
    for (const operation of OPERATIONS) {
      const quota = { limit: operation === "allow" ? 100_000 : 1, window: WINDOW };
      const count = async (call: Promise<ScriptCall>) => perCall(server, await call, calls);
      const ours = (algorithms: Algorithms) => count(decisionCall("client", 1, algorithms, quota));
      const named = (name: string) => {
        tell(`${operation}, ${name}`, done++ / whole);
        return { name: `${name}, ${operation}: instructions`, unit: "" };
      };
      for (const [algorithm, peer, because] of PEERS) {
        const name = named(algorithm);
        const theirs = await count(peer.call("client", 1, quota));
        figures.push({
          ...name,
          ...compare([await ours([algorithm])], peer.name, [theirs]),
          ...(because !== undefined && { because }),
        });
      }
      for (const [name, algorithms] of ALONE) {
        figures.push({ ...named(name), tidegate: await ours(algorithms) });
      }
    }
    return figures;
  } finally {
    await server.close();
  }
};

/** The instructions of one call, with those of the connection. */
async function perCall(
  { redis, instructionsOf }: CountedRedis,
  { script, keys, args }: ScriptCall,
  calls: number,
): Promise<number> {
  const sha1 = String(await redis.script("LOAD", script));
  const repeat = async (times: number) => {
    for (let i = 0; i < times; i++) await redis.evalsha(sha1, keys.length, ...keys, ...args);
  };
  await repeat(WARM);
  const counted = await instructionsOf(() => repeat(calls));
  await redis.flushall();
  return Math.round(counted / calls);
}
