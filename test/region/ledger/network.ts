import { StoreError } from "../../../src/options/errors.ts";
import type { VirtualTime } from "../../support/virtual-time.ts";

/** Microseconds after which a call is given up. */
export const BUDGET = 250_000;

/** A server as a caller reaches it. */
export interface Way {
  /** Half of a round trip, in microseconds. */
  readonly distance: number;
  isDead(): boolean;
}

/** Who calls: an isolate may die, and then nothing of what it began goes on. */
export interface Caller {
  isDead: boolean;
}

export interface Network {
  call<Of>(caller: Caller, way: Way, run: () => Promise<Of>): Promise<Of>;
  /** How many calls were carried out twice, and how many too late. */
  readonly repeated: () => number;
}

/**
 * Calls that arrive late, twice or never, and answers that are lost.
 *
 * @param lateUs the latest that a call arrives
 */
export function networkOf(
  time: VirtualTime,
  next: () => number,
  trouble: boolean,
  lateUs: number,
): Network {
  let repeated = 0;
  const again = (run: () => Promise<unknown>) => () => {
    repeated++;
    void time.hold(run());
  };
  async function lost(): Promise<never> {
    await time.pass(BUDGET);
    throw new StoreError("ERR_STORE_TIMEOUT", "lost");
  }

  async function send<Of>({ distance, isDead }: Way, run: () => Promise<Of>): Promise<Of> {
    const fate = trouble ? next() : 1;
    if (fate < 0.02 || isDead()) return lost();
    if (fate < 0.04) {
      time.at(time.now() + Math.floor(lateUs * next()), again(run));
      return lost();
    }
    await time.pass(Math.floor(distance * (0.8 + 0.4 * next())));
    const answer = await time.hold(run());
    if (fate < 0.06) return lost();
    if (fate < 0.12) time.at(time.now() + Math.floor(lateUs * next() ** 2), again(run));
    await time.pass(Math.floor(distance * (fate < 0.16 ? 5 : 1)));
    return answer;
  }

  return {
    repeated: () => repeated,
    async call(caller, way, run) {
      const never = new Promise<never>(() => {});
      if (caller.isDead) return never;
      try {
        const answer = await send(way, run);
        return caller.isDead ? await never : answer;
      } catch (error) {
        if (caller.isDead) return never;
        throw error;
      }
    },
  };
}

/** Some spans in which a server gives no answer. */
export function outages(
  next: () => number,
  trouble: boolean,
  spanUs: number,
): (passedUs: number) => boolean {
  if (!trouble || next() < 0.6) return () => false;
  const from = next() * spanUs;
  const to = from + next() * 0.3 * spanUs;
  return (passedUs) => passedUs >= from && passedUs < to;
}
