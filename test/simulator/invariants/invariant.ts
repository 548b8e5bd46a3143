import type { Row } from "../../../src/algorithms/model.ts";
import type { Answer, Call, Execution, Isolate } from "../call.ts";
import type { Loss } from "../redis/simulated-redis.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Scheduler } from "../scheduler.ts";

/** Something that always holds; it hears of everything that happens and says where it does not. */
export interface Invariant {
  /** A method of a limiter is about to be called. */
  called?(call: Call): void;
  /** A command leaves an isolate. */
  sending?(call: Call): void;
  /** The script ran. */
  executed?(execution: Execution, call: Call): void;
  /** The server lost state. */
  lost?(loss: Loss): void;
  /** The server's clock jumped, by microseconds. */
  stepped?(by: number): void;
  /** An isolate's clock was set, by microseconds. */
  set?(isolate: Isolate, by: number): void;
  answered?(call: Call, answer: Answer): void;
  /** The product told of a failure of the store. */
  reported?(call: Call): void;
  /** The product has nothing left to do at this moment. */
  settled?(): void;
}

/** The events and states that invariants look at. */
export interface Observed {
  readonly scenario: Scenario;
  readonly scheduler: Scheduler;
  /** The server's answer to `limit()` at this moment. */
  truth(identity: string, cost: number): readonly Row[];
  readonly statistics: Statistics;
  /** The first violation ends the simulation. */
  violated(rule: string, what: string): void;
}

/** The number of times that each case was met, so that a run that tests nothing is noticed. */
export type Statistics = Map<string, number>;

export function count(statistics: Statistics, what: string): void {
  statistics.set(what, (statistics.get(what) ?? 0) + 1);
}

export const keysOf = ({ settings: { prefix, policies } }: Scenario, identity: string): string[] =>
  policies.map(({ key }) => `${prefix}:{${identity}}:${key}`);
