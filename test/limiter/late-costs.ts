import { everyPolicy } from "../support/every-policy.ts";
import {
  createLimiter,
  type CreateLimiterOptions,
  type Duration,
  memoryStore,
  type Policy,
} from "../support/limiter/plain.ts";
import type { Admission } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { virtualTime } from "../support/virtual-time.ts";

/** One customer's streams: each reserves an estimate, and is settled at its end at its use. */
export interface Story {
  readonly policy: Policy;
  readonly windowUs: number;
  /** The reservation as a multiple of a stream's average use. */
  readonly tooHigh: number;
  readonly streamUs: number;
  readonly windows: number;
}

export interface Told {
  /** The units that streams used, at the moments of their reservations. */
  readonly used: readonly Admission[];
  /** The share of the budget of all windows but the first, in which no unit has come back yet. */
  readonly share: number;
}

/** The units that a stream uses on average; each uses between half and one and a half times as much. */
const NEED = 800;

/** The demand as a multiple of the budget, if each stream reserved exactly its use. */
const DEMAND = 2;

/** A denied stream comes back after the told wait, at most this many times. */
const RETRIES = 3;

/** A multiple of every window. */
const START = 1_800_000_000_000_000 - (1_800_000_000_000_000 % 3_600e6);

/** Counts in memory, by the clock of the story. */
const IN_MEMORY = (now: () => number): Partial<CreateLimiterOptions> => ({
  store: memoryStore({ now }),
});

/** Runs a story to its end; the same one ends the same way each time. */
export async function tell(story: Story, placeFor = IN_MEMORY): Promise<Told> {
  const { policy, windowUs, tooHigh, streamUs, windows } = story;
  const { limit } = policy;
  const time = virtualTime(START);
  const untilUs = START + windows * windowUs;
  const limiter = createLimiter({ ...placeFor(time.now), policies: [policy] });
  const identity = crypto.randomUUID();
  const draw = random(7);
  const used: Admission[] = [];

  async function stream(): Promise<void> {
    const units = Math.round(NEED * (0.5 + draw()));
    for (let tries = 0; tries <= RETRIES && time.now() < untilUs; tries++) {
      const hold = await time.hold(limiter.reserve(identity, { cost: NEED * tooHigh }));
      if (!hold.allowed) {
        await time.pass(Math.ceil(hold.retryAfterMs * 1000));
        continue;
      }
      used.push({ time: time.now(), units });
      await time.pass(streamUs);
      const settled = await time.hold(hold.settle(units));
      if (settled.status !== "settled") throw settled.error!;
      return;
    }
  }

  const betweenUs = Math.round((windowUs * NEED) / limit / DEMAND);
  for (let atUs = START; atUs < untilUs; atUs += betweenUs) time.at(atUs, () => void stream());
  await time.run();
  const counted = used.filter(({ time: atUs }) => atUs >= START + windowUs);
  const units = counted.reduce((sum, each) => sum + each.units, 0);
  return { used, share: units / (limit * (windows - 1)) };
}

/** A policy of each algorithm with this budget. */
export function budgets(limit: number, window: Duration): readonly Policy[] {
  return everyPolicy(limit, window).map((policy) =>
    Object.assign(policy, { name: "tokens", refundable: true }),
  );
}

/**
 * The most that any limiter can let through that exceeds no limit even if estimates turn out right, in a trailing window: for as
 * long as a stream goes on, it takes up its unused units.
 */
export function mostOf({ windowUs, streamUs, tooHigh }: Omit<Story, "policy" | "windows">): number {
  return windowUs / (windowUs + (tooHigh - 1) * streamUs);
}
