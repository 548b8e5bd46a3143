import type { Ask } from "../call.ts";
import type { Weather } from "../network-weather.ts";
import type { Random } from "../random.ts";
import type { Action, Step } from "./action.ts";
import { drawFault, type Fault, type Target } from "./draw-fault.ts";

/** The setting for which steps are drawn. Times in microseconds. */
export interface Setting extends Target {
  readonly timeoutMs: number;
  /** The smallest of the policies' limits. */
  readonly limit: number;
  readonly calm: Weather;
  /** Of a hundred steps, how many change the network's weather, bring a fault, or reset an identity. */
  readonly weathers: number;
  readonly faults: number;
  readonly resets: number;
  readonly faultKinds: readonly Fault["kind"][];
  /** How many requests are settled later, as a share. */
  readonly reserves: number;
}

export function drawStep(random: Random, setting: Setting): Step {
  return {
    gap: drawGap(random, setting),
    action: drawAction(random, setting),
    seed: random.seed(),
  };
}

/** Half of the steps come at once, so that calls overlap; a few after more than the minute that knowledge lasts. */
function drawGap(random: Random, { windows }: Setting): number {
  const draw = random.integer(1, 100);
  if (draw <= 45) return 0;
  if (draw <= 60) return random.magnitude(1, 1_000);
  if (draw <= 85) return random.magnitude(1_000, 1e6);
  if (draw <= 98) return Math.ceil((random.pick(windows) * random.integer(1, 300)) / 100);
  return random.integer(55e6, 90e6);
}

function drawAction(random: Random, setting: Setting): Action {
  const { isolates, identities, limit, faultKinds } = setting;
  const isolate = random.integer(0, isolates - 1);
  const identity = random.pick(identities);
  let draw = random.integer(1, 100);
  if ((draw -= setting.weathers) <= 0) {
    const weather = drawWeather(random, setting);
    return { kind: "weather", isolate: random.chance(0.5) ? isolate : undefined, weather };
  }
  if (faultKinds.length > 0 && (draw -= setting.faults) <= 0) {
    return drawFault(random, random.pick(faultKinds), setting);
  }
  if ((draw -= setting.resets) <= 0) {
    return { kind: "call", isolate, ask: { method: "reset", identity, cost: 0 } };
  }
  if (random.chance(0.25)) {
    const cost = random.integer(1, limit);
    return { kind: "knock", identity, cost, off: random.pick([-1, 0, 0, 0, 1, 500]) };
  }
  return { kind: "call", isolate, ask: drawAsk(random, identity, setting) };
}

function drawAsk(random: Random, identity: string, setting: Setting): Ask {
  const { limit, reserves } = setting;
  // Mostly small; at times just above the limit, or nothing.
  const cost = random.chance(0.7) ? 1 : random.integer(0, limit + 1);
  const draw = random.integer(1, 100);
  if (draw <= 80 && random.chance(reserves)) return drawReservation(random, identity, setting);
  if (draw <= 80) return { method: "limit", identity, cost };
  if (draw <= 90) return { method: "peek", identity, cost };
  return { method: "charge", identity, cost: cost * random.integer(1, 3) };
}

/** Mostly more than is used; some never end, and some end long after their units have come back. */
function drawReservation(random: Random, identity: string, { limit, windows }: Setting): Ask {
  const cost = random.integer(0, limit);
  const used = random.chance(0.9) ? random.integer(0, cost) : cost + random.integer(0, 3);
  const after = random.magnitude(1, 2 * random.pick(windows));
  const end = random.chance(0.85) ? { after, used } : undefined;
  return { method: "reserve", identity, cost, end };
}

function drawWeather(random: Random, { timeoutMs, calm }: Setting): Weather {
  const around = [Math.ceil(timeoutMs / 20), Math.ceil(timeoutMs * 0.8)] as const;
  const beyond = [Math.ceil(timeoutMs / 5), random.pick([timeoutMs * 3, 30e6, 100e6])] as const;
  const share = () => random.pick([0, 0, 0.1, 0.5, 1]);
  return random.pick<() => Weather>([
    () => calm,
    () => ({ ...calm, delay: around }),
    () => ({ ...calm, delay: beyond }),
    () => ({ ...calm, lost: share(), replyLost: share() }),
    () => ({ ...calm, refused: share(), garbled: share() }),
    () => ({ delay: around, lost: 0.1, replyLost: 0.2, refused: 0.1, garbled: 0.1 }),
  ])();
}
