import {
  ACTION,
  COUNTER,
  type CounterParameters,
  type CounterState,
} from "../algorithms/drop-in-counter.ts";
import type { Row } from "../algorithms/model.ts";
import { type Answer, type CountsBy, openCounts } from "./counts.ts";
import type { DropIn } from "./open-drop-in.ts";
import { COUNTER as script } from "./scripts.generated.ts";

export const COUNTER_SCRIPTS = { one: { before: script, after: "" } };

/** Points of a key, which begin with the first of them and are forgotten at a time of their own. */
export interface PointCounter {
  /** Adds points, or takes them away where the number is below 0. */
  add(key: unknown, points: number, windowUs: number, block?: Block): Promise<Answer>;
  /** Adds a point if that leaves at most the limit. A denial is remembered until there is room. */
  consume(key: unknown, limit: number, windowUs: number): Promise<Answer>;
  /** Puts points in the place of all others. */
  set(key: unknown, points: number, windowUs: number): Promise<Answer>;
  /** Takes points back, to no less than none, if those that count end no later than a time of the counter's clock. */
  takeBack(key: unknown, points: number, latestEndUs: number): Promise<Answer>;
  /** Forgets the points, and answers as if it had not. */
  forget(key: unknown): Promise<Answer>;
  get(key: unknown): Promise<Answer>;
}

/** Points that are added past the threshold count for a time from then on. */
export interface Block {
  readonly threshold: number;
  readonly blockUs: number;
}

const NO_BLOCK: Block = { threshold: 0, blockUs: 0 };

const NO_POINTS: CounterParameters = { points: 0, windowUs: 0, ...NO_BLOCK, action: ACTION.add };

/** The points in an answer to a question without a limit. */
export function pointsOf({ remaining }: Row): number {
  return 0 - remaining;
}

const BY_COUNTER: Omit<CountsBy<CounterParameters, CounterState>, "name"> = {
  algorithm: COUNTER,
  parameters: ["points", "windowUs", "blockUs", "threshold", "action"],
  unitsOf: ({ used }) => used,
  unitsAfter: ({ limit, parameters }, { remaining }) =>
    parameters.action === ACTION.forget ? 0 : limit - remaining,
  adopt({ resetAfterUs }, nowUs, { parameters }, used, before) {
    const lastsUs = parameters.action === ACTION.forget ? 0 : resetAfterUs;
    const endsUs = Math.max(nowUs + lastsUs, before?.endsUs ?? 0);
    return { state: { endsUs, lengthUs: endsUs - nowUs, used }, endsUs };
  },
};

/**
 * @param dropIn opened with `COUNTER_SCRIPTS`
 * @param name ends the keys
 */
export function countPoints(dropIn: DropIn, name: string): PointCounter {
  const counts = openCounts(dropIn, { ...BY_COUNTER, name });

  function charge(
    key: unknown,
    points: number,
    action: keyof typeof ACTION,
    windowUs = 0,
    { threshold, blockUs }: Block = NO_BLOCK,
  ): Promise<Answer> {
    const parameters = { points, windowUs, blockUs, threshold, action: ACTION[action] };
    return counts.ask(key, { operation: "charge", limit: 0, parameters });
  }

  return {
    add: (key, points, windowUs, block) => charge(key, points, "add", windowUs, block),
    set: (key, points, windowUs) => charge(key, points, "set", windowUs),
    takeBack: (key, points, latestEndUs) => charge(key, points, "takeBack", latestEndUs),
    forget: (key) => charge(key, 0, "forget"),
    get: (key) => counts.ask(key, { operation: "peek", limit: 0, parameters: NO_POINTS }),
    consume(key, limit, windowUs) {
      const parameters = { ...NO_POINTS, points: 1, windowUs };
      const rule = `${limit} ${windowUs}`;
      return counts.ask(key, { operation: "consume", limit, parameters, rule });
    },
  };
}
