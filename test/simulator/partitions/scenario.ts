import type { Implementation } from "../../../src/algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../../../src/algorithms/all.ts";
import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import type { Plans } from "../../../src/features/plans.ts";
import { checkSettings, type LimiterSettings } from "../../../src/limiter/settings.ts";
import { Faults } from "../../../src/options/faults.ts";
import { fromData } from "../../../src/policy/from-data.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import { createRandom, type Random } from "../random.ts";

/** One request, after a gap in microseconds. */
export interface PartitionedStep {
  readonly gap: number;
  readonly isolate: number;
  readonly identity: Readonly<Record<string, string | undefined>>;
  readonly cost: number | Readonly<Record<string, number>>;
  readonly plan: string | undefined;
  /** Draws what happens to its messages. */
  readonly seed: number;
}

/** A world of several partitions per decision, and its events. */
export interface PartitionedScenario {
  readonly settings: LimiterSettings;
  /** 1 for one Redis, 3 for a Cluster. */
  readonly masters: number;
  /** By how much the masters' clocks are ahead, in microseconds. */
  readonly ahead: readonly number[];
  readonly isolates: number;
  /** Shares of the give-backs that are lost, and that arrive late, and of the replies that are lost. */
  readonly lost: number;
  readonly late: number;
  readonly replyLost: number;
  readonly steps: readonly PartitionedStep[];
}

const STEPS = 70;
const DIMENSIONS = ["ip", "key", "*"] as const;
const PLAN = "gold";

/** @param advisory whether policies that never deny take part: everything else is drawn the same */
export function drawPartitioned(seed: number, advisory = true): PartitionedScenario {
  const random = createRandom(seed);
  const drawn = Array.from({ length: random.integer(2, 5) }, (_, i) => drawPolicy(random, i));
  // One at least is enforced, and takes part in every decision.
  const all = [
    { ...drawn[0]!, by: "ip", mode: "enforce" as const, counts: "requests" as const },
    ...drawn.slice(1),
  ];
  const changes = Object.fromEntries(
    all.flatMap((policy) =>
      random.chance(0.5) ? [[policy.name!, { limit: random.magnitude(1, 20) }]] : [],
    ),
  );
  const withPlans = random.chance(0.5);
  const kept = all.filter(({ mode }) => advisory || mode === "enforce");
  const names = new Set(kept.map(({ name }) => name!));
  const ofKept = <Value>(record: Readonly<Record<string, Value>>) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)));
  const plans: Plans = { [PLAN]: ofKept(changes) };
  const faults = new Faults();
  const settings = checkSettings(
    { policies: kept, onFailure: "closed", ...(withPlans && { plans }) },
    EVERY_FEATURE,
    faults,
  );
  faults.throwIfAny();
  const masters = random.chance(0.5) ? 3 : 1;
  const rough = random.chance(0.6);
  const isolates = random.integer(1, 3);
  const windows = [1_000, 100_000, 3e6];
  return {
    settings,
    masters,
    ahead: [0, 1, 2].map(() => random.integer(-2e6, 2e6)),
    isolates,
    lost: rough ? 0.1 : 0,
    late: rough ? 0.1 : 0,
    replyLost: rough && random.chance(0.3) ? 0.05 : 0,
    steps: Array.from({ length: STEPS }, () => {
      const cost = drawCost(random, all);
      return {
        gap: random.chance(0.5) ? 0 : random.integer(1, random.pick(windows)),
        isolate: random.integer(0, isolates - 1),
        identity: {
          ip: random.pick(["203.0.113.1", "203.0.113.2"]),
          key: random.pick(["k1", "k2", "k1", undefined]),
        },
        cost: typeof cost === "number" ? cost : ofKept(cost),
        plan: withPlans && random.chance(0.4) ? PLAN : undefined,
        seed: random.seed(),
      };
    }),
  };
}

function drawCost(random: Random, policies: readonly Policy[]) {
  if (random.chance(0.6)) return 1;
  if (random.chance(0.2)) return random.integer(0, 4);
  return Object.fromEntries(
    policies.flatMap(({ name }) =>
      random.chance(0.6) ? [[name!, random.integer(0, 3)] as const] : [],
    ),
  );
}

function drawPolicy(random: Random, index: number): Policy {
  const window = `${random.magnitude(100, 20_000)}ms`;
  const numbers = random.pick(
    Object.values(IMPLEMENTATIONS).map(({ name, options }) =>
      drawNumbers(random, name, options, window),
    ),
  );
  const draw = random.integer(1, 100);
  return fromData({
    ...numbers,
    name: `p${index}`,
    limit: random.magnitude(1, 12),
    by: random.pick(DIMENSIONS),
    mode: draw <= 15 ? "shadow" : draw <= 25 ? "soft" : "enforce",
    ...(draw > 90 && { counts: "denials" }),
  }) as Policy;
}

/** An algorithm's own options: whole numbers far below their largest, and the window. A boolean keeps its default. */
function drawNumbers(
  random: Random,
  algorithm: string,
  options: Implementation["options"],
  window: string,
) {
  const values = Object.entries(options).flatMap(([name, option]): [string, number | string][] => {
    if (option.kind === "integer") {
      return [[name, random.integer(1, Math.min(12, Math.floor(option.max / 10)))]];
    }
    return option.kind === "duration" ? [[name, window]] : [];
  });
  return { algorithm, ...Object.fromEntries(values) };
}
