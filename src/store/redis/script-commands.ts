import type { Row } from "../../algorithms/model.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Algorithm } from "../../policy/policy.ts";
import { mayDeny } from "../decide-together.ts";
import type { LeaseRequest, RegionOrder, Reply, Store, TakenReply } from "../store.ts";

/*
 * The commands that a script ran, by what it was asked and what it answered: Redis bills those inside a script like any other. No
 * answer shows these, which are left out: more reads of a log that is in debt, or whose requests cost several units, have left its
 * window or get units back; and the write of a state after the clock stepped back or the rate of a bucket changed.
 */

/** TIME, with which each script begins. */
export const TIME = 1;

/** An account is read as the states of most algorithms are. */
const ACCOUNT = "fixed-window";

/** ZREMRANGEBYSCORE, ZADD and PEXPIREAT, which take a slot. */
const TAKE_SLOT = 3;

export function commandsOfDecision(
  [operation, , costs, policies, slot, lease]: Parameters<Store["decide"]>,
  reply: Reply,
): number {
  if (operation === "lease") return commandsOfLease(policies, lease, reply);
  const { rows } = reply;
  let commands = TIME + readsOf(policies);
  const isDenying = policies.map((policy, i) => mayDeny(policy) && !rows[i]!.allowed);
  const denials = isDenying.filter(Boolean).length;
  const isHold = slot !== undefined;
  // A script for one policy asks it once; so does one for several where no policy has a role, and no hold takes part.
  const isAlone = policies.length === 1 && policies[0]!.role !== "denials";
  const asksAgain = !isAlone && (isHold || policies.some(({ role }) => role !== "enforced"));
  policies.forEach((policy, i) => {
    const [cost, row] = [costs[i]!, rows[i]!];
    if (policy.implementation.hasSlots) {
      const takes = operation === "consume" && denials === 0 && row.allowed && cost > 0;
      commands += slotCommands(policy, row, cost, {
        isHold,
        isTaken: takes && isHold,
        times: takes && asksAgain ? 2 : 1,
      });
    } else if (policy.role === "owed") {
      // It takes what it has room for, whatever the others decide.
      commands += Number(operation !== "peek" && cost > 0 && row.allowed);
    } else if (policy.role === "denials") {
      const others = denials - Number(isDenying[i]);
      commands += Number(operation === "consume" && (cost > 0 || others > 0));
    } else {
      const takes = operation === "consume" && denials === 0 && row.allowed;
      commands += Number(cost > 0 && (takes || operation === "charge"));
    }
  });
  return commands;
}

/** A write for each state that changes, and one for each account. The accounts are read with the states. */
function commandsOfLease(
  policies: readonly CompiledPolicy[],
  { own, spent }: Pick<LeaseRequest, "own" | "spent"> = { own: 0, spent: [] },
  { leased = 0, charged }: Reply,
): number {
  const writesAccount = leased > own || spent.length > 0;
  const algorithms = policies.map(({ algorithm }) => algorithm);
  let commands = TIME + readCommands([...algorithms, ACCOUNT]);
  policies.forEach(({ role }, i) => {
    if ((charged?.[i] ?? leased) > 0) commands++;
    // The script knows no role of a policy that is alone.
    if (writesAccount && (role !== "advisory" || policies.length === 1)) commands++;
  });
  return commands;
}

/** Those of a region's call: a write for each state that changes. */
export function commandsOfTake(
  policies: readonly CompiledPolicy[],
  costs: readonly number[],
  orders: readonly RegionOrder[],
  { rows, taken }: TakenReply,
): number {
  const isDenied = rows.some(({ allowed }, i) => costs[i]! > 0 && !allowed);
  const charged = policies.filter(
    (_, i) => orders[i]!.owed + taken[i]! + (isDenied ? 0 : costs[i]!) > 0,
  );
  return TIME + readsOf(policies) + charged.length;
}

/** Those of a concurrency policy, which is asked twice where it takes a slot only if no other policy denies. */
function slotCommands(
  { limit }: CompiledPolicy,
  { remaining }: Row,
  cost: number,
  { isHold, isTaken, times }: { isHold: boolean; isTaken: boolean; times: number },
): number {
  const held = limit - remaining;
  const before = isTaken ? held - 1 : held;
  // ZCOUNT, and ZRANGE for the last one to expire.
  const looks = 1 + Number(before > 0);
  // ZRANGE for the wait, and ZSCORE where the hold may have the slot already.
  const waits = Number(cost > 0 && held >= limit);
  if (isTaken) return looks * times + TAKE_SLOT + waits;
  return looks * times + waits * (isHold ? 2 : 1);
}

/**
 * Those of a refund.
 *
 * @param costs the units that were to come back
 * @param given those that came back
 */
export function commandsOfRefund(
  policies: readonly CompiledPolicy[],
  costs: readonly number[],
  given: readonly number[],
  isHold: boolean,
): number {
  let commands = TIME + readsOf(policies);
  policies.forEach(({ implementation }, i) => {
    // ZSCORE looks for the slot.
    if (implementation.hasSlots && isHold) commands++;
    // A bucket has refilled a part of a unit since, so that only a part comes back.
    if (given[i]! > 0 || (implementation.refillsEvenly && costs[i]! > 0)) commands++;
  });
  return commands;
}

/** Those that extend the slots of a hold: ZSCORE for each, and ZADD, ZRANGE and PEXPIREAT where it is kept. */
export function commandsOfExtension(
  policies: readonly CompiledPolicy[],
  kept: readonly boolean[],
): number {
  const slots = policies.flatMap(({ implementation }, i) =>
    implementation.hasSlots ? [1 + (kept[i] ? 3 : 0)] : [],
  );
  return slots.length === 0 ? 0 : slots.reduce((sum, each) => sum + each, TIME);
}

/** TIME and DEL. */
export const COMMANDS_OF_RESET = TIME + 1;

/** Those that read the states. */
function readsOf(policies: readonly CompiledPolicy[]): number {
  return readCommands(policies.map(({ algorithm }) => algorithm));
}

/** One for each log, and one for all others; concurrency reads with what it asks. */
export function readCommands(algorithms: readonly Algorithm[]): number {
  let logs = 0;
  let others = 0;
  for (const algorithm of algorithms) {
    if (algorithm === "sliding-window-log") logs++;
    else if (algorithm !== "concurrency") others = 1;
  }
  return logs + others;
}
