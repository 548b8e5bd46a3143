import type { Account } from "../account.ts";
import { type HoldPage, isCounted } from "../hold-page.ts";
import type { Page } from "../page.ts";
import { givesBack, type LedgerPolicy, numbersUnder, TTL_US } from "../policies.ts";
import { windowAccount } from "../window-account.ts";
import type { Say } from "./say.ts";

/** The share of a limit that an isolate may admit without the store; `undefined` if it does not count. */
export function shareOf({ onFailure }: LedgerPolicy): number | undefined {
  if (typeof onFailure === "object") return onFailure.local.share;
  return onFailure === "local" ? 1 : undefined;
}

/**
 * The units that each isolate admits without the store: never more than its share of a limit, rounded up once, in each window
 * that begins with a client's first request after the one before.
 */
export function localCounts() {
  const accounts = new Map<string, Account>();

  function accountOf(policy: LedgerPolicy, isolate: number, partition: string) {
    const key = `${isolate} ${policy.name} ${partition}`;
    const found = accounts.get(key);
    if (found) return found;
    const { algorithm, windowUs } = policy;
    const { limit, refill } = numbersUnder(policy, undefined);
    const account = windowAccount(
      algorithm === "calendar-window" ? algorithm : "unaligned-window",
      algorithm === "token-bucket" ? Math.ceil((limit / refill) * windowUs) : windowUs,
    );
    accounts.set(key, account);
    return account;
  }

  /** The policies that the isolate itself has counted for a request. */
  const own = (page: Page, policies: readonly LedgerPolicy[]) =>
    policies.filter(
      (policy) =>
        policy.mode === "enforce" &&
        policy.counts !== "denials" &&
        shareOf(policy) !== undefined &&
        page.costs[policy.name]! > 0 &&
        !isCounted(page, policy),
    );
  /** Whether plans do not change how long a bucket refills. */
  const isOneWindow = ({ under }: LedgerPolicy) =>
    new Set(Object.values(under).map(({ limit, refill }) => limit / refill)).size === 1;

  return {
    /** Enters a request that was allowed. */
    admit(
      page: Page,
      policies: readonly LedgerPolicy[],
      partitionOf: (policy: LedgerPolicy) => string,
      nowUs: number,
      say: Say,
    ): void {
      for (const policy of own(page, policies)) {
        if (policy.algorithm === "concurrency" || !isOneWindow(policy)) continue;
        const share = shareOf(policy)!;
        const account = accountOf(policy, page.isolate, partitionOf(policy));
        const units = page.costs[policy.name]!;
        const limit = Math.ceil(
          Math.round(share * 1e6 * numbersUnder(policy, page.plan).limit) / 1e6,
        );
        if (!account.fits(units, limit, nowUs)) {
          say(
            `${policy.name}: an isolate admits ${units} beside ${account.used(nowUs)} of ${limit}, its share`,
          );
        }
        account.take(page.id, units, nowUs);
      }
    },

    /** Enters the slots that the isolate itself has given. */
    keepSlots(held: HoldPage, nowUs: number, wantedUs: number): void {
      for (const policy of own(held.page, held.isolate.policies)) {
        if (policy.algorithm !== "concurrency") continue;
        held.localSlots.set(policy.name, nowUs + Math.min(TTL_US, wantedUs));
      }
    },

    /** Enters the units that a hold gives back, with its first settlement. */
    end(
      { page, isolate, actual }: HoldPage,
      partitionOf: (policy: LedgerPolicy) => string,
      nowUs: number,
    ): void {
      for (const policy of own(page, isolate.policies)) {
        if (policy.algorithm === "concurrency" || !givesBack(policy) || !isOneWindow(policy))
          continue;
        const back = page.costs[policy.name]! - actual![policy.name]!;
        if (back <= 0) continue;
        const account = accountOf(policy, page.isolate, partitionOf(policy));
        const due = account.due(page.id, back, nowUs) ?? 0;
        account.giveBack(page.id, back, due, nowUs);
      }
    },
  };
}
