import type { ErrorCode, FailureVerdict, Reason, StoreError } from "../../src/index.ts";

export const VERDICTS = ["open", "closed", "local"] as const satisfies readonly FailureVerdict[];
export type Verdict = (typeof VERDICTS)[number];

/** Of every policy here; none of them gives anything back while a test runs. */
export const LIMIT = 20;

/** The answer to a request. */
export interface Outcome {
  readonly status: number;
  readonly reason: Reason;
  readonly remaining: number;
  /** Where it is told: the worker tells its clients no more than the reason. */
  readonly code?: ErrorCode;
  /** How long it took. */
  readonly ms: number;
}

/** The subject that has to live through a fault: the limiter in Node, or the worker as it is deployed. */
export interface Subject {
  readonly name: string;
  /** Asks for one unit, where a policy of this verdict decides. */
  ask(verdict: Verdict, identity: string): Promise<Outcome>;
  /** The text between the braces of this identity's key. */
  partition(identity: string): Promise<string>;
  /** How many breakers there are between the three verdicts. */
  readonly breakers: number;
  /** Codes of the failures that it has reported, oldest first. */
  readonly reported: readonly StoreError["code"][];
  /** All other complaints. */
  readonly complaints: readonly string[];
  stop(): Promise<void>;
}

export interface SubjectOptions {
  /** Address of the REST API. */
  readonly url: string;
  readonly token: string;
  readonly timeout: `${number}ms`;
}
