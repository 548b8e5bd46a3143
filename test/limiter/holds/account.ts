import type { CompiledPolicy } from "../../../src/policy/compile.ts";

/*
 * The count that one key of a store ought to have: an account of its own, kept from the store's calls and its refunds. It reports
 * broken promises.
 */

/** A moment at which a store ran a call. */
export interface Moment {
  /** The store's clock, in microseconds since 1970. */
  readonly nowUs: number;
  /** The same, as if that clock had never stepped back. */
  readonly timeUs: number;
  /** How often the clock has stepped back. */
  readonly backs: number;
}

/** The units of one policy in a reservation. */
export interface Asked {
  readonly policy: CompiledPolicy;
  readonly cost: number;
  readonly at: Moment;
}

export interface Reserving extends Asked {
  readonly hold: string;
  /** The store's verdict on this policy alone. */
  readonly allowed: boolean;
  /** Whether all policies had room, so that the cost was taken. */
  readonly took: boolean;
}

export interface GivingBack extends Asked {
  readonly hold: string;
  /** How many units the store said that it gave back. */
  readonly given: number;
}

export interface Account {
  reserve(asked: Reserving): void;
  charge(asked: Asked): void;
  giveBack(asked: GivingBack): void;
}

/** Notes a broken promise. */
export type Report = (broken: string) => void;

/** Units that count. */
export interface Take {
  readonly hold: string | undefined;
  readonly policy: CompiledPolicy;
  readonly at: Moment;
  /** How often the policy's window or rate had changed. */
  readonly changes: number;
  /** How many units it has not given back. */
  units: number;
}

/** Something that was forgotten although it would still count, under this limit. */
interface Cut {
  readonly timeUs: number;
  readonly limit: number;
}

/** The events that make a count inexact, or allow a refund of too much: the exceptions of docs/architecture.md. */
export function exceptions() {
  let asked: CompiledPolicy | undefined;
  const cuts: Cut[] = [];
  const state = {
    changes: 0,
    /** Whether the account can say each answer exactly. */
    exact: true,
    /** By how many units refunds that are excepted may let too much through. */
    slack: 0,
    /** The highest limit so far. */
    most: 0,
  };
  return Object.assign(state, {
    /** Tells the policy that was asked before, if its window or its rate was another one. */
    changedFrom(policy: CompiledPolicy): CompiledPolicy | undefined {
      const before = asked;
      asked = policy;
      state.most = Math.max(state.most, policy.limit);
      if (!before || sameNumbers(before, policy)) return undefined;
      state.changes++;
      state.exact = false;
      return before;
    },
    /** Notes a look. It makes no setting alive, but its state may be written where other policies took. */
    look(policy: CompiledPolicy): void {
      if (asked && !sameNumbers(asked, policy)) state.exact = false;
    },
    cut: (timeUs: number, limit: number) => cuts.push({ timeUs, limit }),
    /** Whether a refund of this take may give back units that others have taken. */
    excepts({ policy, at, changes }: Take, now: Moment): boolean {
      const lower = cuts.some(({ timeUs, limit }) => timeUs > at.timeUs && limit < policy.limit);
      return lower || at.backs < now.backs || changes < state.changes;
    },
  });
}

function sameNumbers(one: CompiledPolicy, other: CompiledPolicy): boolean {
  return Object.entries(one.parameters).every(([name, value]) => other.parameters[name] === value);
}
