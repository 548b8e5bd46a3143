import type { Cost } from "../decide/limiter-types.ts";

/** The units of a cost for one policy; none if it does not name it. */
function unitsOf(cost: Cost, name: string): number {
  if (typeof cost === "number") return cost;
  return Object.hasOwn(cost, name) ? cost[name]! : 0;
}

const namesIn = (cost: Cost) => (typeof cost === "number" ? [] : Object.keys(cost));

/** The sum of two costs for each of these policies, and for those that the costs name. */
export function sumOfCosts(one: Cost, other: Cost, names: readonly string[]): Cost {
  const all = new Set([...names, ...namesIn(one), ...namesIn(other)]);
  return Object.fromEntries(
    Array.from(all, (name) => [
      name,
      Math.min(unitsOf(one, name) + unitsOf(other, name), Number.MAX_SAFE_INTEGER),
    ]),
  );
}

/** The greater of two costs for each policy. If one of them is of every policy, so is the greatest number of both. */
export function greaterCost(one: Cost, other: Cost): Cost {
  if (typeof one === "number" || typeof other === "number") {
    return Math.max(
      ...[one, other].flatMap((cost) => Object.values(Object(cost) === cost ? cost : [cost])),
    );
  }
  const all = new Set([...namesIn(one), ...namesIn(other)]);
  return Object.fromEntries(
    Array.from(all, (name) => [name, Math.max(unitsOf(one, name), unitsOf(other, name))]),
  );
}
