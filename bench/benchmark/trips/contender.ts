import type { VirtualTime } from "../../../test/support/virtual-time.ts";

/** The way to the store and back, in virtual time. */
export interface Network {
  readonly time: VirtualTime;
  /** Waits for one way. */
  travel(): Promise<void>;
  /** Waits for one way to a cache in the same data centre. */
  stroll(): Promise<void>;
}

export interface Verdict {
  readonly allowed: boolean;
  /** Whether the isolate denied without the store. */
  readonly local: boolean;
}

/** Isolates of one limiter in front of one store. */
export interface Contender {
  /** Calls of the store so far. */
  readonly calls: number;
  limit(identity: string, isolate: number): Promise<Verdict>;
  /** Whether the store would admit this identity now. */
  wouldAdmit(identity: string): boolean | Promise<boolean>;
}

export interface ContenderOptions {
  readonly isolates: number;
  /** Whether isolates remember denials. */
  readonly cache: boolean;
}

export type CreateContender = (network: Network, options: ContenderOptions) => Contender;
