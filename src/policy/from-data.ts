import { type Implementation, IMPLEMENTATION } from "../algorithms/algorithm.ts";
import { IMPLEMENTATIONS } from "../algorithms/all.ts";
import { ALGORITHM } from "../options/messages.ts";
import { nearest } from "../options/unknown-options.ts";
import type { CountingAlgorithm } from "./policy.ts";

/** Turns a policy that is plain data, as in a configuration, into what a builder returns; leaves anything else as it is. */
export function fromData(policy: unknown): unknown {
  if (typeof policy !== "object" || policy === null) return policy;
  const { algorithm } = policy as { algorithm?: unknown };
  // A fault quotes no name that data cannot hold.
  if (Object(algorithm) === algorithm || typeof algorithm === "symbol") return policy;
  const implementation =
    typeof algorithm === "string" && Object.hasOwn(IMPLEMENTATIONS, algorithm)
      ? IMPLEMENTATIONS[algorithm as CountingAlgorithm]
      : unknownAlgorithm(algorithm, policy);
  return { ...policy, [IMPLEMENTATION]: implementation };
}

/** Adds its fault where the policy is checked, so that it is reported together with the others. */
function unknownAlgorithm(algorithm: unknown, policy: object): Implementation {
  const meant = nearestAlgorithm(String(algorithm));
  const { options, ...implementation } = IMPLEMENTATIONS[meant ?? "fixed-window"];
  return {
    ...implementation,
    name: algorithm as string,
    options: meant ? options : optionsOf(policy),
    quotaOf(limit, _values, path, faults) {
      faults.add(`${path}.algorithm`, algorithm, ALGORITHM, {
        meant,
        known: Object.keys(IMPLEMENTATIONS),
      });
      return { limit, windowUs: 1, parameters: {} };
    },
  };
}

/** The options of the policy that some algorithm has. */
function optionsOf(policy: object): Implementation["options"] {
  const all = Object.values(IMPLEMENTATIONS).flatMap(({ options }) => Object.entries(options));
  return Object.fromEntries(all.filter(([name]) => Object.hasOwn(policy, name)));
}

function nearestAlgorithm(name: string): CountingAlgorithm | undefined {
  return nearest(name, Object.keys(IMPLEMENTATIONS)) as CountingAlgorithm | undefined;
}
