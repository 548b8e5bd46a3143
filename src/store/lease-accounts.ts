import type { LeaseBound } from "../policy/tighten.ts";
import type { LeaseRequest } from "./store.ts";

/** The leased units of one policy that no isolate has reported as spent, as `lua/lease.lua` keeps them. */
export interface LeaseAccount {
  /** The beginning of the period that counts now; of units that come back with their window, its end. */
  readonly epochUs: number;
  readonly unspent: number;
  /** Those of the period before. */
  readonly before: number;
}

/**
 * The share of an account's room that one lease takes at most. All of it would leave other isolates without leases; with
 * three quarters, isolates that ask in turn soon have equal parts.
 */
const SHARE_OF_ROOM = 3 / 4;

const EMPTY: LeaseAccount = { epochUs: 0, unspent: 0, before: 0 };

/** The key of a policy's account. No policy's key ends like this. */
export const accountKeyOf = (key: string): string => `${key}:lease`;

/** These keys, and those of their accounts. */
export const withAccounts = (keys: readonly string[]): readonly string[] => [
  ...keys,
  ...keys.map(accountKeyOf),
];

/** The request of a caller that gives none. */
export function unbounded(policies: readonly unknown[]): LeaseRequest {
  const bound = { most: Number.MAX_SAFE_INTEGER, periodUs: 0 };
  return { own: 0, bounds: policies.map(() => bound), spent: [] };
}

/** The account of one policy when a request for a lease arrives, after its reports. */
export function accountAt(
  nowUs: number,
  account: LeaseAccount = EMPTY,
  { bounds, spent }: LeaseRequest,
  policy: number,
): LeaseAccount {
  const { periodUs } = bounds[policy]!;
  const { epochUs, unspent, before } = inPeriod(account, nowUs, periodUs);
  const spentIn = (epoch: number) =>
    spent.reduce((sum, { units, epochs }) => sum + (epochs[policy] === epoch ? units : 0), 0);
  return {
    epochUs,
    unspent: Math.max(0, unspent - spentIn(epochUs)),
    before: Math.max(0, before - spentIn(epochUs - periodUs)),
  };
}

/** The units that a lease may take by this account. */
export function roomOf({ unspent, before }: LeaseAccount, { most }: LeaseBound): number {
  return Math.ceil(SHARE_OF_ROOM * Math.max(0, most - unspent - before));
}

/**
 * The account after a lease.
 *
 * @param endsUs the end of the policy's window
 */
export function afterLease(
  { epochUs, unspent, before }: LeaseAccount,
  units: number,
  { periodUs }: LeaseBound,
  endsUs: number,
): LeaseAccount {
  const isOver = periodUs === 0 && (epochUs === 0 || epochUs > endsUs);
  return { epochUs: isOver ? endsUs : epochUs, unspent: unspent + units, before };
}

/** The time until which an account counts. */
export const endOfAccount = ({ epochUs }: LeaseAccount, { periodUs }: LeaseBound): number =>
  epochUs + 2 * periodUs;

function inPeriod(account: LeaseAccount, nowUs: number, periodUs: number): LeaseAccount {
  const { epochUs, unspent, before } = account;
  if (periodUs === 0) return nowUs < epochUs ? account : EMPTY;
  const ageUs = nowUs - epochUs;
  // The clock went back.
  if (ageUs < 0) return { epochUs: nowUs, unspent: unspent + before, before: 0 };
  if (ageUs >= 2 * periodUs) return { epochUs: nowUs, unspent: 0, before: 0 };
  if (ageUs >= periodUs) return { epochUs: epochUs + periodUs, unspent: 0, before: unspent };
  return account;
}
