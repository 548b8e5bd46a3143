import type { Call, Page } from "../page.ts";
import { callsIn } from "../page.ts";
import type { LedgerPolicy } from "../policies.ts";
import type { Say } from "./say.ts";

/** A charge takes its cost once, and shards carry it together: the room of the fullest one is there in each of them. */
export function checkCharge(
  page: Page,
  policies: readonly LedgerPolicy[],
  isGuarded: boolean,
  say: Say,
): void {
  const calls = callsIn(page, "ask");
  for (const { name, counts } of policies) {
    if (counts === "denials") continue;
    const cost = page.costs[name]!;
    const parts = partsOf(
      calls.filter(({ fate }) => fate !== "not sent"),
      name,
    );
    const asked = parts.reduce((sum, part) => sum + part.asked, 0);
    if (asked > cost) say(`${name} is charged ${asked}, not ${cost}`);
    const isAnswered = calls.every(({ fate }) => fate === "answered");
    // A call that a breaker holds back leaves no trace.
    if (isAnswered && !isGuarded && asked !== cost) say(`${name} is charged ${asked}, not ${cost}`);
  }
}

function partsOf(calls: readonly Call[], name: string) {
  return calls.flatMap(({ operation, parts }) =>
    operation === "charge" ? parts.filter((part) => part.name === name) : [],
  );
}

/** The room for a debt of each shard of a policy, before a charge. */
export interface Room {
  readonly policy: LedgerPolicy;
  readonly least: number;
}

export function roomOf(
  policy: LedgerPolicy,
  shards: readonly { readonly limit: number; readonly used: number }[],
): Room {
  return { policy, least: Math.min(...shards.map(({ limit, used }) => 2 * limit - used)) };
}

/** A charge for which every shard has room counts on all of them. */
export function checkSpread(
  calls: readonly Call[],
  { policy: { name, shards, algorithm }, least }: Room,
  cost: number,
  say: Say,
): void {
  // A log counts one charge as its limit at most.
  if (algorithm === "sliding-window-log" || cost > shards * least) return;
  const parts = partsOf(
    calls.filter(({ fate }) => fate === "answered"),
    name,
  );
  if (parts.reduce((sum, part) => sum + part.asked, 0) < cost) return;
  const counted = parts.reduce((sum, part) => sum + part.charged, 0);
  if (Math.abs(counted - cost) > 1e-6) say(`${name}: shards count ${counted} of ${cost}`);
}
