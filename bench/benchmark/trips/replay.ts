import { installTimers, virtualTime } from "../../../test/support/virtual-time.ts";
import type { ContenderOptions, CreateContender } from "./contenders.ts";
import { ABUSER, type Arrival, random } from "./workload.ts";

export interface Tally {
  readonly decisions: number;
  readonly calls: number;
  readonly admitted: number;
  /** Denied by an isolate at a moment at which the store would have admitted. */
  readonly wrong: number;
}

/** The figures of all identities, and of the abuser alone. */
export interface Tallies {
  readonly all: Tally;
  readonly abuser: Tally;
}

/** Milliseconds later than any real clock, and whole windows since 1970. */
const START = 4_000_000_000_000_000;

/** Microseconds. The initial quotas are used up before counting starts. */
const WARM_UP = 10e6;

/** Plays a recording to a limiter in virtual time, a few milliseconds away from its store. */
export async function replay(
  arrivals: readonly Arrival[],
  create: CreateContender,
  options: ContenderOptions,
): Promise<Tallies> {
  const time = virtualTime(START);
  const next = random(1);
  const travel = () => time.pass(200 + Math.floor(next() * 8_000));
  const stroll = () => time.pass(200 + Math.floor(next() * 1_800));
  const contender = create({ time, travel, stroll }, options);
  const all = { decisions: 0, calls: 0, admitted: 0, wrong: 0 };
  const abuser = { ...all };
  let early = 0;

  for (const { at, identity, isolate } of arrivals) {
    time.at(START + at, async () => {
      const { allowed, local } = await contender.limit(identity, isolate);
      const wrong = local && (await contender.wouldAdmit(identity));
      if (at < WARM_UP) {
        early += Number(!local);
        return;
      }
      for (const tally of identity === ABUSER ? [all, abuser] : [all]) {
        tally.decisions++;
        tally.calls += Number(!local);
        tally.admitted += Number(allowed);
        tally.wrong += Number(wrong);
      }
    });
  }
  const { now } = Date;
  const restoreTimers = installTimers(time);
  Date.now = () => Math.floor(time.now() / 1000);
  try {
    await time.run();
  } finally {
    Date.now = now;
    restoreTimers();
  }
  if (all.calls + early !== contender.calls) {
    throw new Error("a call of the store was not accounted for");
  }
  return { all, abuser };
}
