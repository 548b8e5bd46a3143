import type { Policy } from "../../../src/policy/policy.ts";
import type { VirtualTime } from "../../support/virtual-time.ts";
import type { Era } from "./books.ts";
import type { Server } from "./story.ts";

/** Later than any real clock, and on no boundary. */
export const START = 4_000_000_000_123_457;

/** The clock of a server, which is wrong, runs at its own pace, and is set now and then. */
export interface Clock {
  now(): number;
  /** The clock at a true time, as if it had not been set since now. */
  asNow(): (trueUs: number) => number;
}

/** @param onStep is told when the clock has been set */
export function clockOf(
  time: VirtualTime,
  { pace, offsetUs, clockSteps }: Server,
  onStep: () => void = () => {},
): Clock {
  let offset = offsetUs;
  for (const { at, by } of clockSteps) {
    time.at(START + at, () => {
      offset += by;
      onStep();
    });
  }
  const asNow = () => {
    const before = offset;
    return (trueUs: number) => Math.floor(START + before + (trueUs - START) * (1 + pace));
  };
  return { now: () => asNow()(time.now()), asNow };
}

/**
 * The eras of a store: its counts of one era know nothing of another one. One ends when the store forgets, its clock is set or the
 * policies change; of a key alone, when it is reset.
 */
export interface Eras {
  of(key: string): Era;
  endAll(): void;
  end(key: string): void;
}

export function openEras(asNow: () => (trueUs: number) => number, promiseOf: PromiseOf): Eras {
  let eras = new Map<string, Era>();
  let number = 0;
  return {
    of(key) {
      const known = eras.get(key);
      if (known) return known;
      const era = { name: `${key}, era ${number++}`, promise: promiseOf(key), clock: asNow() };
      eras.set(key, era);
      return era;
    },
    endAll: () => void (eras = new Map()),
    end: (key) => void eras.delete(key),
  };
}

/** The policy of a key as its user wrote it, at this time. */
export type PromiseOf = (key: string) => Policy | undefined;
