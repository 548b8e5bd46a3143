import type { Policy } from "../../../src/policy/policy.ts";
import { compilePolicy } from "../../support/compile-policy.ts";
import type { Story, Version } from "./story.ts";

/** A key is `PREFIX:{PARTITION}:KEY`, where the policy's key says its name and algorithm. */
const ofKey = (key: string) => key.slice(key.indexOf("}:") + 2).replace(/:alone$/, "");
const partitionIn = (key: string) => key.slice(key.indexOf("{") + 1, key.indexOf("}"));

/** The policies that a key may count at a time, of which the largest is promised. */
export function promisesOf({ versions }: Story) {
  const names = new Map(
    versions[0]!.policies.map((policy) => [compilePolicy(policy).key, policy.name!]),
  );
  const nameOf = (key: string): string | undefined => names.get(ofKey(key));

  function promiseOf(key: string, alive: readonly Version[]): Policy | undefined {
    const name = nameOf(key);
    // The client of the plan is never without it; a key of all clients has the numbers of both.
    const partition = partitionIn(key);
    const candidates = alive.flatMap(({ policies, plans }) => {
      const policy = policies.find((each) => each.name === name);
      if (!policy || "mode" in policy) return [];
      const [planned] = Object.values(plans).map((plan) => plan[name!]);
      const other = planned ? [{ ...policy, ...planned } as Policy] : [];
      if (partition === "a" && other.length > 0) return other;
      return partition === "b" ? [policy] : [policy, ...other];
    });
    return candidates.toSorted((a, b) => b.limit - a.limit)[0];
  }
  return { nameOf, promiseOf };
}

/** What one of so many stores admits while it counts alone. */
export function shareOf(policy: Policy | undefined, stores: number): Policy | undefined {
  if (!policy) return undefined;
  const share = { ...policy, limit: Math.floor(policy.limit / stores) };
  return "refill" in share ? { ...share, per: `${stores}s` } : share;
}
