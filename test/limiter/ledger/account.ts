/*
 * The count of one key, by the ledger's own arithmetic: the units that each taker took and gave back, and when.
 */

/** A taker: the number of a page of the ledger. */
export type Taker = number;

export interface Account {
  /** Whether the arithmetic still says each number exactly. */
  readonly exact: boolean;
  /** Units that count now. */
  used(nowUs: number): number;
  fits(units: number, limit: number, nowUs: number): boolean;
  take(taker: Taker, units: number, nowUs: number): void;
  /** Takes as many units as a debt has room for: up to twice the limit in all. Returns how many units count. */
  charge(units: number, limit: number, nowUs: number): number;
  /** Returns how many units have to come back; `undefined` if that is in doubt. */
  due(taker: Taker, units: number, nowUs: number): number | undefined;
  /** Units that come back of those asked for. */
  giveBack(taker: Taker, asked: number, given: number, nowUs: number): void;
  /** How many units of this taker were taken and not given back, whether or not they still count. */
  outstanding(taker: Taker): number;
}

/** The units that a taker took at a moment, less those that it gave back. */
export interface Take {
  readonly taker: Taker | undefined;
  readonly atUs: number;
  units: number;
}
