import type { Extension } from "../../../../src/decide/hold.ts";
import { type HoldPage, isCounted } from "../hold-page.ts";
import type { Call } from "../page.ts";
import { SECOND_US, TTL_US } from "../policies.ts";
import type { Say } from "./say.ts";

/**
 * It says `expired` only if a slot is gone, and `extended` only if every slot is kept; a policy of which the hold took no
 * slot is not asked.
 *
 * @param calls of this extension
 * @param wantedUs how long the slots are to be kept
 */
export function checkExtension(
  held: HoldPage,
  { status }: Extension,
  calls: readonly Call[],
  { nowUs, wantedUs }: { readonly nowUs: number; readonly wantedUs: number },
  say: Say,
): void {
  const { page, hold, isolate, localSlots } = held;
  const isOver = held.actual !== undefined || !hold.allowed;
  if (isOver) {
    if (status !== "expired") say(`${status}, but the hold is over`);
    if (calls.length > 0) say("a hold that is over is extended");
    return;
  }
  const slotted = isolate.policies.filter(({ algorithm }) => algorithm === "concurrency");
  let isGone = false;
  let isSilent = false;
  for (const policy of slotted) {
    const { name } = policy;
    const own = calls.filter(({ parts }) => parts.some((part) => part.name === name));
    if (page.costs[name] === 0) {
      if (own.length > 0) say(`${name} gave no slot, and is asked`);
      continue;
    }
    const localUs = localSlots.get(name);
    if (localUs !== undefined) {
      if (localUs > nowUs) localSlots.set(name, nowUs + Math.min(TTL_US, wantedUs));
      else isGone = true;
    }
    if (!isCounted(page, policy)) continue;
    const answer = own.find(({ fate }) => fate === "answered");
    if (!answer) isSilent = true;
    else if (!answer.parts.every((part) => part.name !== name || part.kept)) isGone = true;
  }
  const expected = isGone ? "expired" : isSilent ? "unknown" : "extended";
  if (status !== expected) say(`${status} at ${nowUs / SECOND_US} s, not ${expected}`);
}
