import { IMPLEMENTATIONS } from "../../../src/algorithms/all.ts";
import { fromData } from "../../../src/policy/from-data.ts";
import type { Policy } from "../../../src/policy/policy.ts";
import type { Random } from "../random.ts";

const VERDICTS = ["open", "closed", "local", { local: { share: 0.5 } }] as const;

/** One to three policies: limits small enough to be reached, windows from far below the timeout to above a minute. */
export function drawPolicies(random: Random, refundable: boolean): Policy[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) => ({
    ...drawPolicy(random, index),
    ...(refundable && { refundable }),
  }));
}

function drawPolicy(random: Random, index: number): Policy {
  const common = {
    name: `p${index}`,
    limit: random.magnitude(1, 12),
    ...(random.chance(0.5) && { onFailure: random.pick(VERDICTS) }),
  };
  const window = `${random.magnitude(20, 200_000)}ms` as const;
  const [algorithm, { options }] = random.pick(Object.entries(IMPLEMENTATIONS));
  const numbers = Object.entries(options).flatMap(([option, { kind }]) => {
    if (kind === "integer") return [[option, random.integer(1, 12)]];
    return kind === "duration" ? [[option, window]] : [];
  });
  return fromData({ algorithm, ...common, ...Object.fromEntries(numbers) }) as Policy;
}
