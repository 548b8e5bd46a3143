import { compare, interleave } from "../compare.ts";
import { atMost, type Figure, type Part, type Target } from "../figure.ts";
import {
  type Quota,
  type Subject,
  tidegate,
  upstashFixedWindow,
  upstashSlidingWindow,
  upstashTokenBucket,
} from "./commands.ts";
import { type BenchRedis, openRedis, type Sample } from "./server.ts";

interface Pair {
  readonly ours: Subject;
  readonly peer: Subject;
  /** The target of an admission's CPU. */
  readonly target?: Target;
}

const PAIRS: readonly Pair[] = [
  { ours: tidegate("token-bucket"), peer: upstashTokenBucket, target: atMost(0.95) },
  { ours: tidegate("sliding-window-counter"), peer: upstashSlidingWindow, target: atMost(1.3) },
  { ours: tidegate("segmented-window"), peer: upstashSlidingWindow },
  { ours: tidegate("fixed-window"), peer: upstashFixedWindow },
];
const SUBJECTS = [...new Set(PAIRS.flatMap(({ ours, peer }) => [ours, peer]))];
const OPERATIONS = ["allow", "deny"] as const;
type Operation = (typeof OPERATIONS)[number];

/** The cost of most algorithms does not depend on it. */
const LIMIT = 1_000;

/** The cost of a decision inside Redis. */
export const redisPart: Part = async ({ short, tell }) => {
  const server = await openRedis();
  try {
    const figures: Figure[] = [];
    for (const [i, operation] of OPERATIONS.entries()) {
      tell(`${operation}, limit ${LIMIT}`, i / OPERATIONS.length);
      // On a machine with other work a median holds still only over many.
      const load = { operation, rounds: short ? 2 : 81, identities: short ? 5 : 100 };
      const samples = await measureCounts(server, load);
      const of = (subject: Subject) => samples[SUBJECTS.indexOf(subject)]!;
      for (const { ours, peer, target } of PAIRS) {
        figures.push({
          name: `${ours.name}, ${operation}, limit ${LIMIT}: CPU`,
          unit: "us",
          ...compare(cpuOf(of(ours)), peer.name, cpuOf(of(peer))),
          ...(target && operation === "allow" && { target }),
        });
      }
    }
    for (const { ours, peer } of PAIRS) {
      const [bytes, theirs] = [await memoryOf(server, ours), await memoryOf(server, peer)];
      figures.push({
        name: `${ours.name}: memory per key`,
        unit: "bytes",
        ...compare([bytes], peer.name, [theirs]),
      });
    }
    return figures;
  } finally {
    await server.close();
  }
};

const cpuOf = (samples: readonly Sample[]) => samples.map(({ cpu }) => cpu);

interface Load {
  readonly operation: Operation;
  readonly identities: number;
  readonly rounds: number;
}

/** Five days: no unit comes back while denials are measured. */
const QUOTA: Quota = { limit: LIMIT, window: 432_000_000 };
/** Requests of each identity in a round, besides the first. */
const REPEATS = 4;

let names = 0;
const newIdentities = (count: number) => Array.from({ length: count }, () => `user-${++names}`);

function callsOf(subject: Subject, identities: readonly string[], cost = 1) {
  return Promise.all(identities.map((identity) => subject.call(identity, cost, QUOTA)));
}

/** Requests of identities that asked before, with a window that none of them fills, or that all have filled. */
async function measureCounts(
  server: BenchRedis,
  { operation, identities: count, rounds }: Load,
): Promise<Sample[][]> {
  const full = newIdentities(operation === "deny" ? count : 0);
  for (const subject of SUBJECTS) await server.send(await callsOf(subject, full, LIMIT));
  const measures = SUBJECTS.map((subject) => async () => {
    let identities = full;
    if (operation === "allow") {
      identities = newIdentities(count);
      await server.send(await callsOf(subject, identities));
    }
    const repeated = Array.from({ length: REPEATS }, () => identities).flat();
    const sample = await server.measure(await callsOf(subject, repeated));
    // Every reply must be of the kind that is measured, or the numbers are about something else.
    for (const reply of sample.replies) {
      if ((await subject.admits(reply, QUOTA)) === (operation === "allow")) continue;
      throw new Error(`${subject.name} does not ${operation}: ${String(reply)}`);
    }
    return sample;
  });
  const samples = await interleave(measures, rounds);
  await server.redis.flushall();
  return samples;
}

const HOUR = 3_600_000;

/** Bytes that an identity takes in Redis, once it has asked in two windows in a row. */
async function memoryOf(server: BenchRedis, subject: Subject): Promise<number> {
  const quota = { limit: LIMIT, window: HOUR };
  const identity = "user-of-usual-length";
  // Some take the time from the client: that is how they come by a previous window here.
  const now = Date.now;
  const real = now();
  Date.now = () => real - HOUR;
  const earlier = await subject.call(identity, 1, quota).finally(() => (Date.now = now));
  const call = await subject.call(identity, 1, quota);
  await server.send([earlier, call]);
  let bytes = 0;
  for (const key of call.keys) {
    bytes += (await server.redis.memory("USAGE", key, "SAMPLES", 0)) ?? 0;
  }
  await server.redis.flushall();
  return bytes;
}
