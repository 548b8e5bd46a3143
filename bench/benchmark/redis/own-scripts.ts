import { readFileSync } from "node:fs";

import type { Quota, Subject } from "./subject.ts";
import { admitsReply } from "./tidegate.ts";

/** A script of this folder's neighbour, written for the comparison; its keys are as long as Tidegate's. */
function ownScript(
  name: string,
  file: string,
  key: (identity: string) => string,
  argsOf: (cost: number, quota: Quota) => number[],
  admits: Subject["admits"],
): Subject {
  const script = readFileSync(new URL(`../classic/${file}.lua`, import.meta.url), "utf8");
  return {
    name,
    call: async (identity, cost, quota) => ({
      script,
      keys: [key(identity)],
      args: argsOf(cost, quota).map(String),
    }),
    admits,
  };
}

const firstIsOne: Subject["admits"] = (reply) => (reply as [number])[0] === 1;

export const handTokenBucket = ownScript(
  "by hand: GCRA",
  "gcra",
  (identity) => `by:{${identity}}:token-bucket`,
  (cost, { limit, window }) => [cost, limit, Math.ceil((window * 1000) / limit)],
  admitsReply,
);
export const handSlidingWindow = ownScript(
  "by hand: two counts",
  "two-counts",
  (identity) => `by:{${identity}}:sliding-window-counter`,
  (cost, { limit, window }) => [cost, limit, window * 1000],
  admitsReply,
);
export const sortedSetLog = ownScript(
  "sorted set log",
  "sorted-set-log",
  (identity) => `zl:{${identity}}:sliding-window-log`,
  (cost, { limit, window }) => [cost, limit, window * 1000],
  firstIsOne,
);
export const hashTokenBucket = ownScript(
  "hash token bucket",
  "hash-token-bucket",
  (identity) => `hb:{${identity}}:token-bucket`,
  (cost, { limit, window }) => [cost, limit, limit / window],
  firstIsOne,
);
