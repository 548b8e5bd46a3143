import type { PolicyRows } from "../decision/outcome.ts";
import { setRecent } from "../runtime/lru.ts";
import type { Selection } from "./selection.ts";

/** Denials without the store, which policies that count denials count with the next request that asks it. */
export interface UncountedDenials {
  /** Notes a denial by these rows, for the policies of the selection that count denials. */
  note(selection: Selection, keys: readonly string[], denied: PolicyRows): void;
  /** How many denials a policy has not counted yet; from now on it has. */
  take(key: string): number;
}

/** Keys with denials that are not counted yet: as many clients as are denied between two calls of the store. */
const MAX_KEYS = 10_000;

export function createUncountedDenials(): UncountedDenials {
  const denials = new Map<string, number>();

  return {
    note({ policies }, keys, denied) {
      policies.forEach((policy, i) => {
        if (policy.role !== "denials") return;
        const byOther = denied.rows.some(
          ({ allowed }, row) => !allowed && denied.policies[row] !== policy,
        );
        if (byOther) setRecent(denials, keys[i]!, (denials.get(keys[i]!) ?? 0) + 1, MAX_KEYS);
      });
    },

    take(key) {
      const count = denials.get(key) ?? 0;
      denials.delete(key);
      return count;
    },
  };
}
