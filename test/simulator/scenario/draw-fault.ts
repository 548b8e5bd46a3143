import type { Random } from "../random.ts";
import type { Action } from "./action.ts";

/** The faults of the server, or of an isolate's clock. Times in microseconds. */
export type Fault = Exclude<Action, { kind: "call" | "knock" | "weather" }>;

/** The setting for which a fault is drawn. */
export interface Target {
  readonly isolates: number;
  readonly identities: readonly string[];
  /** Of the policies. */
  readonly windows: readonly number[];
}

const DAY = 86_400e6;

const FAULTS: { readonly [Kind in Fault["kind"]]: (random: Random, target: Target) => Fault } = {
  restart: (random) => ({ kind: "restart", downtime: random.magnitude(1, 5e6) }),
  failover: (random) => ({
    kind: "failover",
    lostWrites: random.integer(0, 8),
    downtime: random.magnitude(1, 5e6),
  }),
  "clock-step": (random, { windows }) => {
    const window = random.pick(windows);
    const by = random.pick([
      () => random.magnitude(1_000, 1e6),
      () => Math.ceil((window * random.integer(1, 250)) / 100),
      () => random.magnitude(window, DAY),
    ])();
    return { kind: "clock-step", by: random.chance(0.5) ? by : -by };
  },
  // Far more than any pause, as little as one, or enough to make everything look old.
  "isolate-step": (random, { isolates }) => {
    const by = random.pick([
      () => random.magnitude(1, 20),
      () => random.magnitude(20, 120_000),
      () => random.magnitude(120_000, DAY / 1000),
    ])();
    const isolate = random.integer(0, isolates - 1);
    return { kind: "isolate-step", isolate, by: (random.chance(0.3) ? by : -by) * 1000 };
  },
  eviction: (random, { identities, windows }) => ({
    kind: "eviction",
    identity: random.pick(identities),
    policy: random.integer(0, windows.length - 1),
  }),
  hang: (random) => ({ kind: "hang", duration: random.magnitude(1_000, 10e6) }),
  "script-flush": () => ({ kind: "script-flush" }),
  dialect: (random) => ({ kind: "dialect", knowsKeyLocking: random.chance(0.5) }),
};

/** The faults of one scenario: a few kinds, so that the effect of one is not always hidden by that of another. */
export function drawFaultKinds(random: Random): Fault["kind"][] {
  const share = random.pick([0.2, 0.5, 1]);
  return (Object.keys(FAULTS) as Fault["kind"][]).filter(() => random.chance(share));
}

export function drawFault(random: Random, kind: Fault["kind"], target: Target): Fault {
  return FAULTS[kind](random, target);
}
