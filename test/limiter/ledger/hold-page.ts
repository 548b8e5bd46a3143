import type { Hold } from "../../../src/decide/hold.ts";
import type { Units } from "./costs.ts";
import type { Client } from "./draw.ts";
import type { Isolate } from "./isolate.ts";
import { type Call, callsIn, isUnknown, type Page } from "./page.ts";
import type { LedgerPolicy } from "./policies.ts";

/** The page of a reservation, and its later state. */
export interface HoldPage {
  readonly page: Page;
  readonly hold: Hold;
  readonly isolate: Isolate;
  /** The actual cost, by the first settlement. */
  actual?: Units;
  /** Whether its settlement may be sent again. */
  isLeft: boolean;
  /** How long a slot is kept that the isolate itself has given, by the policy's name. */
  readonly localSlots: Map<string, number>;
  readonly client: Client;
}

/** The last call that asked a policy for a request, wherever it went; `undefined` if none was sent. */
export function askedOf(page: Page, { name }: LedgerPolicy): Call | undefined {
  return callsIn(page, "ask").findLast(
    ({ operation, parts }) => operation !== "refund" && parts.some((part) => part.name === name),
  );
}

/**
 * Whether a master has counted this policy's part of an allowed request, and said so. A shard that denied it has not, and
 * neither has a master that was only looked at: then a breaker has held back the call that came after.
 */
export function isCounted(page: Page, policy: LedgerPolicy): boolean {
  const asked = askedOf(page, policy);
  if (asked?.fate !== "answered") return false;
  if (isDenied(asked)) return false;
  const part = asked.parts.find(({ name }) => name === policy.name)!;
  if (asked.operation === "peek" && part.asked > 0) return false;
  return policy.mode !== "enforce" || part.allowed === true;
}

/** Whether a call took nothing because one of its policies denied: a breaker may have held back the second try. */
function isDenied({ operation, parts }: Call): boolean {
  const isWithout = parts.every(({ took }) => took === 0);
  return operation === "consume" && isWithout && parts.some(({ allowed }) => allowed === false);
}

/** Whether it is unknowable if a master has counted this policy's part of the request. */
export function isInDoubt(page: Page, policy: LedgerPolicy): boolean {
  const asked = askedOf(page, policy);
  return asked !== undefined && isUnknown(asked);
}

/** The units that calls asked for. */
export function sumAsked(calls: readonly Call[], name: string): number {
  let sum = 0;
  for (const { parts } of calls) {
    for (const part of parts) if (part.name === name) sum += part.asked;
  }
  return sum;
}
