import { compare } from "../compare.ts";
import { atMost, type Figure, type Part, type Target } from "../figure.ts";
import { measureMemory } from "./memory.ts";
import { honoRateLimiter, rateLimiterFlexible } from "./node-peers.ts";
import {
  handSlidingWindow,
  handTokenBucket,
  hashTokenBucket,
  sortedSetLog,
} from "./own-scripts.ts";
import { type BenchRedis, openRedis, type Sample } from "./server.ts";
import type { Subject } from "./subject.ts";
import { tidegate } from "./tidegate.ts";
import { measureTogether } from "./together.ts";
import { upstashFixedWindow, upstashSlidingWindow, upstashTokenBucket } from "./upstash.ts";
import { type Load, measureCounts, measureLogs, type Operation } from "./workload.ts";

interface Pair {
  readonly ours: Subject;
  readonly peer: Subject;
  readonly targets?: Partial<Record<Operation, Target>>;
}

const tokenBucket = tidegate("token-bucket");
const slidingWindowCounter = tidegate("sliding-window-counter");
const segmentedWindow = tidegate("segmented-window");
const fixedWindow = tidegate("fixed-window");
const slidingWindowLog = tidegate("sliding-window-log");

const BY_HAND = { allow: atMost(1.1), deny: atMost(1.1) };

const PAIRS: readonly Pair[] = [
  { ours: tokenBucket, peer: upstashTokenBucket, targets: { allow: atMost(0.95) } },
  { ours: tokenBucket, peer: handTokenBucket, targets: BY_HAND },
  { ours: tokenBucket, peer: hashTokenBucket },
  { ours: slidingWindowCounter, peer: upstashSlidingWindow, targets: { allow: atMost(1.3) } },
  { ours: slidingWindowCounter, peer: handSlidingWindow, targets: BY_HAND },
  { ours: segmentedWindow, peer: upstashSlidingWindow },
  { ours: fixedWindow, peer: upstashFixedWindow },
  { ours: fixedWindow, peer: rateLimiterFlexible },
  { ours: fixedWindow, peer: honoRateLimiter },
];

const SUBJECTS = [...new Set(PAIRS.flatMap(({ ours, peer }) => [ours, peer]))];
const LIMITS = [10, 100, 1_000, 10_000];
const OPERATIONS: readonly Operation[] = ["allow", "deny"];

const cpuOf = (samples: readonly Sample[]) => samples.map(({ cpu }) => cpu);
const commandsOf = (samples: readonly Sample[]) => samples.map(({ commands }) => commands);

/** The limit that stands for all in the plot: the cost of most algorithms does not depend on it. */
const TYPICAL = 1_000;

/** The cost of a decision inside Redis. */
export const redisPart: Part = async (scale) => {
  const { short } = scale;
  const server = await openRedis();
  try {
    const figures: Figure[] = [];
    const limits = short ? [10, TYPICAL] : LIMITS;
    // As many rounds as four other limits.
    const whole = 2 * (limits.length + 3);
    let done = 0;
    for (const limit of limits) {
      for (const operation of OPERATIONS) {
        scale.tell(`${operation}, limit ${limit}`, done / whole);
        done += limit === TYPICAL ? 4 : 1;
        // Where others use the machine, too, it takes many for a median to hold still.
        const rounds = short ? 2 : limit === TYPICAL ? 81 : 21;
        const counts = { operation, limit, rounds, identities: short ? 5 : 100 };
        const logs = { ...counts, identities: short ? 5 : limit > 1_000 ? 50 : 100 };
        const measured = [
          ...(await countFigures(server, counts)),
          ...(await logFigures(server, logs)),
        ];
        const detail = limit !== TYPICAL;
        for (const figure of measured) figures.push({ ...figure, ...(detail && { detail }) });
      }
    }
    for (const { ours, peer } of PAIRS) figures.push(await memoryFigure(server, ours, peer));
    figures.push(...(await measureTogether(server, scale)));
    return figures;
  } finally {
    await server.close();
  }
};

async function countFigures(server: BenchRedis, load: Load): Promise<Figure[]> {
  const { operation, limit } = load;
  const samples = await measureCounts(server, SUBJECTS, load);
  const of = (subject: Subject) => samples[SUBJECTS.indexOf(subject)]!;
  const cpu = PAIRS.map(({ ours, peer, targets }) =>
    cpuFigure(
      `${ours.name}, ${operation}, limit ${limit}`,
      of(ours),
      peer.name,
      of(peer),
      targets?.[operation],
    ),
  );
  // The number of commands does not depend on the limit.
  if (limit !== TYPICAL) return cpu;
  const commands = PAIRS.map(({ ours, peer }) =>
    commandFigure(`${ours.name}, ${operation}`, of(ours), peer.name, of(peer)),
  );
  return [...cpu, ...commands];
}

function cpuFigure(
  scene: string,
  ours: readonly Sample[],
  peer: string,
  theirs: readonly Sample[],
  target?: Target,
): Figure {
  return {
    name: `${scene}: CPU`,
    unit: "us",
    ...compare(cpuOf(ours), peer, cpuOf(theirs)),
    ...(target && { target }),
  };
}

function commandFigure(
  scene: string,
  ours: readonly Sample[],
  peer: string,
  theirs: readonly Sample[],
): Figure {
  return {
    name: `${scene}: commands`,
    unit: "",
    ...compare(commandsOf(ours), peer, commandsOf(theirs)),
  };
}

async function logFigures(server: BenchRedis, load: Load): Promise<Figure[]> {
  const { operation, limit } = load;
  const subjects = [slidingWindowLog, sortedSetLog];
  const { samples, bytes } = await measureLogs(server, subjects, load);
  const [ours, theirs] = samples as [Sample[], Sample[]];
  const name = `${slidingWindowLog.name}, ${operation}, limit ${limit}`;
  const targeted = limit === TYPICAL;
  const figures: Figure[] = [
    cpuFigure(name, ours, sortedSetLog.name, theirs, targeted ? atMost(0.75) : undefined),
    commandFigure(name, ours, sortedSetLog.name, theirs),
  ];
  if (operation === "allow") {
    figures.push({
      name: `${slidingWindowLog.name}, limit ${limit}, full: memory`,
      unit: "bytes",
      ...compare([bytes[0]!], sortedSetLog.name, [bytes[1]!]),
      ...(targeted && { target: atMost(0.1) }),
    });
  }
  return figures;
}

async function memoryFigure(server: BenchRedis, ours: Subject, peer: Subject): Promise<Figure> {
  const limit = TYPICAL;
  const bytes = await measureMemory(server, ours, limit);
  const theirs = await measureMemory(server, peer, limit);
  return {
    name: `${ours.name}: memory per key`,
    unit: "bytes",
    ...compare([bytes], peer.name, [theirs]),
  };
}
