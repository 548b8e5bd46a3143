import { expect, test } from "vitest";

import type { Policy } from "../../src/policy/policy.ts";
import { EVERY_ALGORITHM, factsOf } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Admission, fullestWindow } from "../support/model/trailing-window.ts";
import { random } from "../support/random.ts";
import { some } from "../support/runs.ts";
import { counterAt } from "./counter.ts";

/*
 * An adversary that takes and gives back: at once, late, in part, around every edge, with charges of others in between. The kept
 * units count. The models stand for the Lua scripts, which test/lua/refund.test.ts holds equal to them.
 */

const START = 1_800_000_000_000_000;

interface Take {
  readonly time: number;
  readonly units: number;
  readonly charge: boolean;
  /** Units that it did not give back. */
  kept: number;
}

interface Attack {
  readonly takes: readonly Take[];
  /** How many refunds gave everything back, and how many nothing. */
  readonly full: number;
  readonly empty: number;
}

/** How often others charge, as a share of the requests. */
function attack(policy: Policy, takesWanted: number, seed: number, charges: number): Attack {
  const compiled = compilePolicy(policy);
  const { algorithm, limit, windowUs, parameters } = compiled;
  const next = random(seed);
  const length = Math.round(windowUs);
  const edges = [length, parameters["lengthUs"] ?? length / 2];
  // A log cannot tell a charge that has pushed out other units.
  const refundsCharges = algorithm !== "sliding-window-log";
  const takes: Take[] = [];
  let full = 0;
  let empty = 0;
  const counted = counterAt(START + Math.floor(next() * length));

  function giveBack(take: Take): void {
    const cost = next() < 0.7 ? take.kept : Math.ceil(next() * take.kept);
    const given = counted.giveBack(compiled, take.time, cost);
    if (given === cost * (parameters["intervalUs"] ?? 1)) full++;
    if (given === 0) empty++;
    take.kept -= cost;
  }

  while (takes.length < takesWanted) {
    const charge = next() < charges;
    const cost = next() < 0.6 ? 1 : 1 + Math.floor(next() * limit * (charge ? 3 : 1));
    // Two scripts never run in the same microsecond.
    const time = ++counted.now;
    const outcome = counted.ask(compiled, charge ? "charge" : "consume", cost);
    if (charge || outcome.allowed) takes.push({ time, units: cost, charge, kept: cost });
    for (const take of takes.slice(-1 - Math.floor(next() * 12))) {
      if (take.kept > 0 && (refundsCharges || !take.charge) && next() < 0.2) giveBack(take);
    }
    if (outcome.allowed && next() < 0.6) continue;
    const choice = next();
    if (choice < 0.35) {
      counted.now += Math.max(0, outcome.retryAfterUs - 2 + Math.floor(next() * 3));
    } else if (choice < 0.6) {
      const edge = Math.round(edges[Math.floor(next() * edges.length)]!);
      counted.now += Math.max(0, edge - (counted.now % edge) - 2 + Math.floor(next() * 3));
    } else counted.now += Math.floor(next() * length * (choice < 0.9 ? 0.2 : 2));
  }
  return { takes, full, empty };
}

const EACH = 10_000;

const admissionsOf = ({ takes }: Attack): Admission[] =>
  takes.flatMap(({ time, kept }) => (kept > 0 ? [{ time, units: kept }] : []));

const policies = EVERY_ALGORITHM.flatMap(({ attacked }) => attacked);

test.for(
  policies.flatMap((policy) => some([0.05, 0, 0.5]).map((charges) => ({ policy, charges }))),
)(
  "without the refunds, all would have been admitted, too: $policy, charges $charges",
  ({ policy, charges }) => {
    const { takes, full, empty } = attack(policy, EACH, 4, charges);
    const [compiled, counted] = [compilePolicy(policy), counterAt(START)];
    for (const { time, kept, charge } of takes) {
      if (kept === 0) continue;
      counted.now = time;
      const operation = charge ? "charge" : "consume";
      const { allowed } = counted.ask(compiled, operation, kept);
      expect(charge || allowed).toBe(true);
    }
    expect(full).toBeGreaterThan(EACH / 20);
    expect(empty).toBeGreaterThan(0);
  },
);

test.for(
  policies.flatMap((policy) => {
    const { most } = factsOf(policy.algorithm);
    return most ? [[policy, most(policy.limit)] as const] : [];
  }),
)("%o: of what was kept, no window holds more than %i", ([policy, worst]) => {
  const { windowUs } = compilePolicy(policy);
  const fullest = fullestWindow(admissionsOf(attack(policy, EACH, 5, 0)), Math.round(windowUs));
  expect(fullest).toBeLessThanOrEqual(worst);
  // A client that gives back gets it again.
  expect(fullest).toBeGreaterThanOrEqual(policy.limit);
});

test.for(policies.filter(({ algorithm }) => factsOf(algorithm).most === undefined))(
  "%o: of the kept units, no span holds more than the policy promises",
  (policy) => {
    const admissions = admissionsOf(attack(policy, EACH, 6, 0));
    const excess = factsOf(policy.algorithm).excessOf(compilePolicy(policy), admissions);
    expect(excess).toBeLessThanOrEqual(0);
    expect(excess).toBeGreaterThan(-1);
  },
);
