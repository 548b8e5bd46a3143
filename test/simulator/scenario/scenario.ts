import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { checkSettings, type LimiterSettings } from "../../../src/limiter/settings.ts";
import { Faults } from "../../../src/options/faults.ts";
import type { ClockDifference } from "../isolate-clock.ts";
import type { Weather } from "../network-weather.ts";
import { createRandom, type Random } from "../random.ts";
import { windowOf } from "../window.ts";
import type { Step } from "./action.ts";
import { drawFaultKinds } from "./draw-fault.ts";
import { drawPolicies } from "./draw-policies.ts";
import { drawStep } from "./draw-steps.ts";

/** The whole content of a seed: the world, and its events. */
export interface Scenario {
  readonly settings: LimiterSettings;
  /** Milliseconds. */
  readonly timeoutMs: number;
  /** The dialect that the limiters expect of Redis, rightly or not. */
  readonly dialect: "redis" | "upstash";
  /** Whether the isolates' clients give up after the timeout by themselves, as the product's own does. */
  readonly clientAborts: boolean;
  readonly clocks: readonly ClockDifference[];
  readonly redis: { readonly clock: number; readonly knowsKeyLocking: boolean };
  readonly calm: Weather;
  readonly steps: readonly Step[];
  /** Draws the recovery after the steps. */
  readonly recoverySeed: number;
}

/** Long enough for a breaker to open and close again, a window to fill and empty. */
const STEPS = 60;

/** What NTP may slew an isolate's clock by and the server's against it, less than the product's margin. */
const MAX_DRIFT = 400;

/** Few, so that isolates meet at the same keys. */
export const IDENTITIES = ["a", "b", "c"];

/** The day on which every simulation starts, in microseconds. */
const START = Date.UTC(2030, 0, 1) * 1000;

export function drawScenario(seed: number): Scenario {
  const random = createRandom(seed);
  const faults = new Faults();
  const maxEntries = random.pick([1, 2, 10_000, 10_000]);
  const refundable = random.chance(0.3);
  const settings = checkSettings(
    {
      policies: drawPolicies(random, refundable),
      onFailure: random.pick(["open", "closed", "local", { local: { share: 0.1 } }] as const),
      denialCache: random.chance(0.1) ? false : { maxEntries },
    },
    EVERY_FEATURE,
    faults,
  );
  faults.throwIfAny();
  const timeoutMs = random.magnitude(5, 500);
  // So fast that the four commands of a first contact fit into the timeout.
  const calm = {
    delay: [1, timeoutMs * 50],
    lost: 0,
    replyLost: 0,
    refused: 0,
    garbled: 0,
  } as const;
  const clocks = Array.from({ length: random.integer(1, 8) }, () => drawClock(random));
  const setting = {
    isolates: clocks.length,
    identities: IDENTITIES.slice(0, random.integer(1, IDENTITIES.length)),
    timeoutMs: timeoutMs * 1000,
    windows: settings.policies.map(windowOf),
    limit: Math.min(...settings.policies.map(({ limit }) => limit)),
    calm,
    weathers: random.pick([0, 5, 10]),
    faults: random.pick([3, 10, 25]),
    resets: random.pick([0, 1, 4]),
    faultKinds: drawFaultKinds(random),
    reserves: refundable ? 0.7 : 0.1,
  };
  return {
    settings,
    timeoutMs,
    clientAborts: random.chance(0.5),
    clocks,
    redis: { clock: START + random.integer(0, 86_400e6), knowsKeyLocking: random.chance(0.5) },
    calm,
    steps: Array.from({ length: STEPS }, () => drawStep(random, setting)),
    recoverySeed: random.seed(),
    dialect: random.pick(["redis", "upstash"]),
  };
}

function drawClock(random: Random): ClockDifference {
  return {
    offset: random.integer(0, 3_600e6),
    wallOffset: START + random.integer(-86_400e6, 86_400e6),
    drift: random.pick([-MAX_DRIFT, MAX_DRIFT, random.integer(-MAX_DRIFT, MAX_DRIFT)]),
  };
}
