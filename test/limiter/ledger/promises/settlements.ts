import type { Settlement } from "../../../../src/decide/hold.ts";
import { type HoldPage, isCounted, isInDoubt, sumAsked } from "../hold-page.ts";
import { type Call, callsIn, isUnknown } from "../page.ts";
import { givesBack, type LedgerPolicy } from "../policies.ts";
import type { Say } from "./say.ts";

/** The units to give back to a master, and those to charge, for one policy of a hold. */
function dueOf({ page, actual }: HoldPage, policy: LedgerPolicy) {
  const reserved = page.costs[policy.name]!;
  const counted = isCounted(page, policy);
  if (policy.algorithm === "concurrency") {
    // A slot is freed wherever it may be: its id is its own.
    return { least: counted ? reserved : 0, most: reserved, more: 0, isUnknown: reserved > 0 };
  }
  const change = actual![policy.name]! - reserved;
  const back = givesBack(policy) && change < 0 ? -change : 0;
  const most = counted ? back : 0;
  return { least: most, most, more: Math.max(0, change), isUnknown: back > 0 };
}

const ofOperation = (calls: readonly Call[], operation: Call["operation"]) =>
  calls.filter((call) => call.operation === operation);
const sent = (calls: readonly Call[]) => calls.filter(({ fate }) => fate !== "not sent");
const answered = (calls: readonly Call[]) => calls.filter(({ fate }) => fate === "answered");

/**
 * Of each policy, the units reserved in excess go back, and the missing ones are charged: once, however often it is settled. A
 * call with an unknown result is not repeated.
 *
 * @param settlement `undefined` for a response that has settled it
 */
export function checkSettlement(
  held: HoldPage,
  settlement: Settlement | undefined,
  isGuarded: boolean,
  say: Say,
): void {
  const { page, hold, isolate } = held;
  const calls = callsIn(page, "end");
  if (!hold.allowed) {
    if (calls.length > 0) say("a denied hold gives back");
    return;
  }
  const refunds = ofOperation(calls, "refund");
  const charges = ofOperation(calls, "charge");
  // A response does not tell how its settlement went; with a breaker, calls may be missing.
  const isDone = settlement
    ? settlement.status === "settled"
    : !isGuarded && calls.every(({ fate }) => fate === "answered");
  let isInDoubtHere = false;
  for (const policy of isolate.policies) {
    const { name, mode } = policy;
    const due = dueOf(held, policy);
    // Without room, a policy that never denies takes nothing.
    const least = mode === "enforce" ? due : { least: 0, more: 0 };
    const [back, more] = [sumAsked(sent(refunds), name), sumAsked(sent(charges), name)];
    if (back > due.most) say(`${name} is to give back ${back} of ${due.most}`);
    if (more > due.more) say(`${name} is charged ${more} of ${due.more}`);
    if (isInDoubt(page, policy) && due.isUnknown && mode === "enforce") isInDoubtHere = true;
    if (!isDone) continue;
    const given = sumAsked(answered(refunds), name);
    const charged = sumAsked(answered(charges), name);
    if (given < least.least) say(`settled, but ${name} gave back ${given} of ${least.least}`);
    if (charged < least.more) say(`settled, but ${name} charged ${charged} of ${least.more}`);
  }
  if (!settlement) return;
  const { status } = settlement;
  const unknown = calls.filter(isUnknown).some((call) => isDue(call, held));
  if (status !== "unknown" && unknown) say(`${status}, but a call has no answer`);
  if (status === "settled" && isInDoubtHere) say("settled, but what was taken is not known");
  if (status === "unknown" && !calls.some(isUnknown) && !callsIn(page, "ask").some(isUnknown)) {
    if (!isGuarded) say("unknown, but every call was answered or not sent");
  }
  if (status === "not-sent" && !isGuarded && !calls.some(({ fate }) => fate === "not sent")) {
    say("not-sent, but every call was sent");
  }
  checkNumbers(held, settlement, say);
}

/** Whether a call is due in a settlement: a slot that no master has given is freed in vain. */
function isDue({ operation, parts }: Call, { page, isolate }: HoldPage): boolean {
  return parts.some(({ name, asked }) => {
    const policy = isolate.policies.find((each) => each.name === name)!;
    const isSlot = policy.algorithm === "concurrency" && operation === "refund";
    // What becomes of a call for a policy in shadow alone changes no settlement.
    return asked > 0 && policy.mode !== "shadow" && (!isSlot || isCounted(page, policy));
  });
}

/** Its report agrees with the acts of the masters. */
function checkNumbers({ page, isolate }: HoldPage, told: Settlement, say: Say): void {
  const calls = answered(callsIn(page, "end"));
  for (const [name, units] of [...Object.entries(told.returned), ...Object.entries(told.charged)]) {
    if (typeof units !== "number" || !(units > 0)) say(`${name} tells ${String(units)}`);
  }
  for (const policy of isolate.policies) {
    const { name } = policy;
    const own = (sums: Settlement["returned"]) => (Object.hasOwn(sums, name) ? sums[name]! : 0);
    const charged = sumAsked(ofOperation(calls, "charge"), name);
    // The units of a policy in shadow may be sent after the settlement.
    const isLate = policy.mode === "shadow" && own(told.charged) > charged;
    if (own(told.charged) !== charged && !isLate) {
      say(`${name} tells ${own(told.charged)}, not ${charged}`);
    }
    // Units that the isolate itself has counted come back to its memory.
    if (!isCounted(page, policy)) continue;
    const parts = ofOperation(calls, "refund").flatMap((call) => call.parts);
    const gave = parts.reduce((sum, part) => sum + (part.name === name ? part.gave : 0), 0);
    if (own(told.returned) !== gave) say(`${name} tells ${own(told.returned)} back, not ${gave}`);
  }
}
