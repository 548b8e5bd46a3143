/**
 * The units that a policy would admit, one request at a time, decided alone and without delay. Written from the promise of the
 * algorithm, not from its code. Times in microseconds.
 */
export interface Ledger {
  /** Admits a request, or says how long until the same one has room. */
  ask(nowUs: number): { readonly allowed: boolean; readonly waitUs: number };
}

/** Units per microseconds. */
export interface Terms {
  readonly limit: number;
  readonly windowUs: number;
}

export const ADMITTED = { allowed: true, waitUs: 0 };
export const denied = (waitUs: number) => ({ allowed: false, waitUs });
