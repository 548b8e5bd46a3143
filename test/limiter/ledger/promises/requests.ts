import type { Decision } from "../../../../src/index.ts";
import { isCounted } from "../hold-page.ts";
import { type Call, callsIn, isUnknown, type Page, type Part } from "../page.ts";
import type { LedgerPolicy } from "../policies.ts";
import type { Say } from "./say.ts";

/** The calls of a page about each key, in their order. */
function byKey(page: Page): ReadonlyMap<string, readonly (readonly [Call, Part])[]> {
  const all = new Map<string, (readonly [Call, Part])[]>();
  for (const call of callsIn(page, "ask")) {
    for (const part of call.parts) {
      all.set(part.key, [...(all.get(part.key) ?? []), [call, part]]);
    }
  }
  return all;
}

/** A request takes its cost once or not at all, and units of a denied one go back. */
export function checkRequest(
  page: Page,
  { allowed, reason }: Decision,
  policies: readonly LedgerPolicy[],
  say: Say,
): void {
  const named = new Map(policies.map((policy) => [policy.name, policy]));
  for (const [key, calls] of byKey(page)) {
    const policy = named.get(calls[0]![1].name)!;
    if (policy.counts === "denials") continue;
    let taken = 0;
    let isInDoubt = false;
    for (const [call, { took, asked }] of calls) {
      if (call.fate === "not sent" && call.operation !== "refund") continue;
      if (call.operation === "consume" && asked > 0) {
        if (taken > 0 || isInDoubt) say(`${key} is asked again`);
        if (call.fate === "answered") taken += took;
      } else if (call.operation === "refund") taken -= asked;
      // A give-back that is lost costs the client its units, and another shard may have room.
      if (isUnknown(call) && call.operation !== "refund") isInDoubt = true;
    }
    const cost = page.costs[policy.name]!;
    if (taken < 0) say(`${key} is to give back ${-taken} too many`);
    if (isInDoubt || policy.mode !== "enforce") continue;
    const isLost = calls.some(
      ([{ operation, fate }]) => operation === "refund" && fate !== "answered",
    );
    if (!allowed && taken > 0 && !isLost) say(`a denied request keeps ${taken} of ${key}`);
    if (allowed && taken !== 0 && taken !== cost) say(`${key} takes ${taken}, not ${cost}`);
  }
  if (allowed) {
    for (const policy of policies) {
      if (policy.counts === "denials" || policy.mode !== "enforce") continue;
      const units = takenBy(page, policy.name);
      const cost = page.costs[policy.name]!;
      if (isCounted(page, policy) && units !== cost) {
        say(`${policy.name} takes ${units}, not ${cost}`);
      }
    }
  }
  checkReason(page, allowed, reason, named, say);
}

function takenBy(page: Page, name: string): number {
  let units = 0;
  for (const { operation, parts, fate } of callsIn(page, "ask")) {
    if (fate !== "answered" && operation !== "refund") continue;
    for (const part of parts) {
      if (part.name === name) units += operation === "refund" ? -part.asked : part.took;
    }
  }
  return units;
}

function checkReason(
  page: Page,
  allowed: boolean,
  reason: Decision["reason"],
  named: ReadonlyMap<string, LedgerPolicy>,
  say: Say,
): void {
  const calls = callsIn(page, "ask").filter(({ operation }) => operation !== "refund");
  const denies = calls.some(({ parts, fate }) =>
    parts.some(
      (part) => fate === "answered" && !part.allowed && named.get(part.name)!.mode === "enforce",
    ),
  );
  if (reason === "limited" && !denies) say("limited, but no master has denied it");
  if (reason === "allowed" && (!allowed || calls.some(({ fate }) => fate !== "answered"))) {
    say("allowed, but a master did not answer");
  }
}
