import { compare } from "../compare.ts";
import { atMost, type Figure, type Part, type Target } from "../figure.ts";
import type { ScriptCall } from "../redis/capture.ts";
import { honoRateLimiter, rateLimiterFlexible } from "../redis/node-peers.ts";
import { sortedSetLog } from "../redis/own-scripts.ts";
import type { Subject } from "../redis/subject.ts";
import { decisionCall, tidegate } from "../redis/tidegate.ts";
import { upstashFixedWindow, upstashSlidingWindow, upstashTokenBucket } from "../redis/upstash.ts";
import { type CountedRedis, openCountedRedis } from "./callgrind.ts";
import { openEarlier } from "./earlier.ts";

type Algorithms = Parameters<typeof decisionCall>[2];
type DecisionCall = typeof decisionCall;

/** The peers of the fixed window count by the client's clock, or by the expiry of the key. */
const EXACT = "it reads the server's clock, and takes nothing where the limit has no room";

const PEERS: readonly (readonly [ours: Algorithms[number], peer: Subject, because?: string])[] = [
  ["token-bucket", upstashTokenBucket],
  ["sliding-window-counter", upstashSlidingWindow],
  ["segmented-window", upstashSlidingWindow],
  ["fixed-window", upstashFixedWindow, EXACT],
  ["fixed-window", rateLimiterFlexible, EXACT],
  ["fixed-window", honoRateLimiter, EXACT],
  ["sliding-window-log", sortedSetLog],
];

/** From one policy to five, of each algorithm one. */
const TOGETHER: readonly Algorithms[] = [1, 2, 3, 4, 5].map((count) =>
  (
    [
      "token-bucket",
      "fixed-window",
      "sliding-window-counter",
      "segmented-window",
      "sliding-window-log",
    ] as const
  ).slice(0, count),
);

/** What the algorithms may cost beside an earlier commit. */
const NO_MORE: Readonly<Record<string, Target>> = {
  "token-bucket": atMost(1),
  "sliding-window-counter": atMost(1),
  "sliding-window-log": atMost(1),
};

const OPERATIONS = ["allow", "deny"] as const;
const WINDOW = 432_000_000;
/** Of the calls before, which make the states. */
const WARM = 5;

/**
 * How many instructions the server carries out for a decision: the same on every machine, whatever else it does. With a commit of this
 * clone in BENCH_AGAINST, its scripts are counted beside today's.
 */
export const instructionsPart: Part = async ({ short, tell }) => {
  const calls = short ? 10 : 400;
  const server = await openCountedRedis();
  const earlier = await openEarlier(process.env["BENCH_AGAINST"]);
  try {
    const figures: Figure[] = [];
    const whole = OPERATIONS.length * (PEERS.length + TOGETHER.length);
    let done = 0;
    for (const operation of OPERATIONS) {
      const limit = operation === "allow" ? 100_000 : 1;
      const quota = { limit, window: WINDOW };
      const count = async (call: ScriptCall) => [await perCall(server, call, calls)];
      const ours = async (make: DecisionCall, algorithms: Algorithms) =>
        count(await make("client", 1, algorithms, quota));
      for (const [algorithm, peer, because] of PEERS) {
        tell(`${operation}, ${algorithm} and ${peer.name}`, done++ / whole);
        const theirs = await count(await peer.call("client", 1, quota));
        figures.push({
          name: `${algorithm}, ${operation}: instructions`,
          unit: "",
          ...compare(await ours(decisionCall, [algorithm]), peer.name, theirs),
          ...(because !== undefined && { because }),
        });
      }
      for (const algorithms of TOGETHER) {
        const name = algorithms.length === 1 ? "one policy" : `${algorithms.length} policies`;
        tell(`${operation}, ${name}`, done++ / whole);
        const counted = await ours(decisionCall, algorithms);
        figures.push({
          name: `${name}, ${operation}: instructions`,
          unit: "",
          tidegate: counted[0]!,
        });
        if (!earlier) continue;
        figures.push({
          name: `${name}, ${operation}: instructions`,
          unit: "",
          ...compare(counted, earlier.name, await ours(earlier.decisionCall, algorithms)),
        });
      }
      if (!earlier) continue;
      for (const algorithm of new Set(PEERS.map(([each]) => each))) {
        const target = operation === "allow" ? NO_MORE[algorithm] : undefined;
        figures.push({
          name: `${tidegate(algorithm).name}, ${operation}: instructions`,
          unit: "",
          ...compare(
            await ours(decisionCall, [algorithm]),
            earlier.name,
            await ours(earlier.decisionCall, [algorithm]),
          ),
          ...(target && { target }),
        });
      }
    }
    return figures;
  } finally {
    await server.close();
    await earlier?.close();
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
