import { MODELS } from "../../../src/algorithms/all.ts";
import { factsOf } from "../../support/algorithms/all.ts";
import { windowOf } from "../window.ts";
import type { Evaluated, World } from "./world.ts";

/** The units that admitted requests took under one key, and all evaluations there, both in order. */
interface Counted {
  readonly takes: readonly Evaluated[];
  readonly all: readonly Evaluated[];
}

/**
 * The fault in the admitted units: more than a policy promises, under the limit of the moment where plans change.
 *
 * @param isAdmitted whether a call was, in the end
 */
export function brokenPromise(
  world: World,
  isAdmitted: (call: unknown) => boolean,
): string | undefined {
  for (const [key, counted] of byKey(world, isAdmitted)) {
    for (const [i, take] of counted.takes.entries()) {
      const wrong = tooMuch(take, counted.takes.slice(0, i + 1), counted.all);
      if (wrong) return `${take.policy.algorithm} ${key}: ${wrong}`;
    }
  }
  return undefined;
}

/**
 * The counts of windows that differ from the admitted units, where every give-back has arrived. In doubt nothing is given back:
 * of a count that exceeds a lowered limit.
 */
export function leftBehind(
  world: World,
  isAdmitted: (call: unknown) => boolean,
): string | undefined {
  for (const [key, { takes, all }] of byKey(world, isAdmitted)) {
    const { policy } = all.at(-1)!;
    const { algorithm, limit, parameters, role, mode } = policy;
    // Units of a policy in shadow may come later, by calls of their own: test/limiter/shadow has the ledger.
    if (mode === "shadow") continue;
    if (!["sliding-window-log", "fixed-window"].includes(algorithm) || role === "denials") continue;
    let state: unknown;
    for (const { clock, cost, policy: own } of takes) {
      const request = {
        nowUs: clock,
        operation: "consume",
        cost,
        limit: own.limit,
        parameters,
      } as const;
      state = MODELS[algorithm]!(state, request).state ?? state;
    }
    const nowUs = world.clockOf(key);
    const request = { nowUs, operation: "peek", cost: 1, limit, parameters } as const;
    const { remaining } = MODELS[algorithm]!(state, request);
    const found = world.look([key], [1], [policy])[0]!.remaining;
    const lowered = all.some((each) => each.policy.limit !== limit);
    if (found > remaining || (found < remaining && !lowered)) {
      return `${algorithm} ${key}: ${found} left instead of ${remaining}`;
    }
  }
  return undefined;
}

function byKey({ evaluated }: World, isAdmitted: (call: unknown) => boolean): Map<string, Counted> {
  const keys = new Map<string, Counted>();
  for (const key of new Set(evaluated.map((each) => each.key))) {
    const all = evaluated.filter((each) => each.key === key);
    const takes = all.filter(
      ({ call, operation, row, cost, policy }) =>
        operation === "consume" &&
        row.allowed &&
        cost > 0 &&
        policy.role !== "denials" &&
        isAdmitted(call),
    );
    keys.set(key, { takes, all });
  }
  return keys;
}

function tooMuch(last: Evaluated, takes: readonly Evaluated[], all: readonly Evaluated[]) {
  const { policy, clock } = last;
  const { algorithm, limit } = policy;
  const window = windowOf(policy);
  const sum = (belongs: (take: Evaluated) => boolean) =>
    takes.filter(belongs).reduce((units, { cost }) => units + cost, 0);
  const most = (units: number, bound: number) =>
    units > bound ? `${units} units where ${bound} may be` : undefined;
  const onGrid = (back: number) =>
    sum((take) => Math.floor(take.clock / window) === Math.floor(clock / window) - back);
  switch (factsOf(algorithm).promise) {
    case "trailing":
      return most(
        sum((take) => take.clock > clock - window),
        limit,
      );
    case "grid":
      return most(onGrid(0), limit);
    case "weighted":
      return most(onGrid(0) * window + onGrid(1) * (window - (clock % window)), limit * window);
    case "rate":
      return beyondRate(last, takes, all);
  }
}

/** In no span more than the limit at its start, all raises of the limit, and the highest rate. */
function beyondRate(last: Evaluated, takes: readonly Evaluated[], all: readonly Evaluated[]) {
  const rate = Math.max(
    ...all.map(({ policy: { parameters } }) => parameters["divisor"]! / parameters["intervalUs"]!),
  );
  let units = 0;
  for (const take of takes.toReversed()) {
    units += take.cost;
    const since = all.slice(all.indexOf(take));
    let allowance = take.policy.limit + rate * (last.clock - take.clock);
    since.forEach(({ policy }, i) => {
      if (i > 0) allowance += Math.max(0, policy.limit - since[i - 1]!.policy.limit);
    });
    if (units > allowance + 1e-6) return `${units} units where ${allowance} may be`;
  }
  return undefined;
}
