import type { Decision } from "../../../../src/index.ts";
import { callsIn, isUnknown, type Page } from "../page.ts";
import type { LedgerPolicy } from "../policies.ts";
import type { Say } from "./say.ts";

/** Denials that a ban of one partition has to count. */
interface Ban {
  readonly policy: LedgerPolicy;
  readonly pages: Page[];
  /** Requests that another policy denied, or may have denied. */
  denied: number;
  /** Those of which it is certain that a master has to count them. */
  certain: number;
}

/** Denials that are counted: each once, and none that was not given. */
export function bans() {
  const all = new Map<string, Ban>();

  function banOf(policy: LedgerPolicy, partition: string): Ban {
    const key = `${policy.name} ${partition}`;
    const found = all.get(key) ?? { policy, pages: [], denied: 0, certain: 0 };
    all.set(key, found);
    return found;
  }

  return {
    /**
     * Enters a request.
     *
     * @param isLast whether no other call may bring its denial to a master
     */
    enter(
      page: Page,
      { allowed, policies: rows, reason }: Decision,
      policies: readonly LedgerPolicy[],
      partitionOf: (policy: LedgerPolicy) => string,
      isLast: boolean,
    ): void {
      for (const policy of policies) {
        if (policy.counts !== "denials") continue;
        const ban = banOf(policy, partitionOf(policy));
        ban.pages.push(page);
        const byOther = rows.some(
          (row) =>
            !row.allowed &&
            row.name !== policy.name &&
            policies.some(({ name, mode }) => name === row.name && mode === "enforce"),
        );
        // A call that runs without an answer may deny a request that the isolate allows.
        if (allowed || !byOther) {
          if (callsIn(page, "ask").some(isUnknown)) ban.denied++;
          continue;
        }
        ban.denied++;
        if (reason !== "store-unavailable" && !isLast) ban.certain++;
      }
    },

    /** @param isCalm whether every call was either answered or not sent, by one master */
    check(isCalm: boolean, say: Say): void {
      for (const { policy, pages, denied, certain } of all.values()) {
        let counted = 0;
        for (const page of pages) {
          for (const { parts } of callsIn(page, "ask")) {
            for (const part of parts) if (part.name === policy.name) counted += part.charged;
          }
        }
        if (counted > denied) say(`${policy.name} counts ${counted} denials of ${denied}`);
        const isFull = denied >= policy.under["none"]!.limit;
        if (isCalm && !isFull && counted < certain) {
          say(`${policy.name} counts ${counted} denials, not ${certain}`);
        }
      }
    },
  };
}
