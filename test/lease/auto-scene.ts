import {
  createLimiter,
  type Decision,
  fixedWindow,
  type Policy,
  type Store,
} from "../../src/index.ts";
import { memoryStore } from "../../src/store/memory-store.ts";
import { random } from "../support/random.ts";
import { installTimers, virtualTime } from "../support/virtual-time.ts";

export interface AutoScene {
  readonly options?: Pick<Policy, "optimistic" | "lease">;
  /** Requests of one identity per second, on one isolate. */
  readonly perSecond: number;
  readonly roundTripMs: number;
}

export interface AutoOutcome {
  readonly callsPerDecision: number;
  /** Of all requests, those that waited for the store. */
  readonly waiting: number;
}

const START = 4_000_000_000_000_000;

/** Seconds in which requests are not counted: until the isolate knows the rate and the distance. */
const WARM_UP = 3;

/** Requests that are counted. */
const COUNTED = 2_000;

/** One identity far below its limit, in virtual time. */
export async function autoScene({
  options,
  perSecond,
  roundTripMs,
}: AutoScene): Promise<AutoOutcome> {
  const time = virtualTime(START);
  const restore = installTimers(time);
  try {
    const next = random(1);
    const model = memoryStore({ now: () => time.now() });
    let calls = 0;
    const distant: Store = {
      now: () => time.now(),
      async decide(...request) {
        calls++;
        await time.pass(roundTripMs * 500);
        const reply = await model.decide(...request);
        await time.pass(roundTripMs * 500);
        return reply;
      },
      reset: () => {},
    };
    const limiter = createLimiter({
      store: distant,
      policies: [fixedWindow({ name: "auto", limit: 1_000_000_000, window: "1h", ...options })],
    });
    const warmUp = Math.ceil(WARM_UP * perSecond);
    let [at, from, waited] = [0, 0, 0];
    const arrive = (i: number) => async (): Promise<void> => {
      if (i === warmUp) from = calls;
      const since = time.now();
      const decision: Decision = await limiter.limit("hot");
      if (i >= warmUp && time.now() > since) waited++;
      if (!decision.allowed) throw new Error("denied below its limit");
    };
    for (let i = 0; i < warmUp + COUNTED; i++) {
      at += (-Math.log(1 - next()) / perSecond) * 1e6;
      time.at(START + Math.floor(at), arrive(i));
    }
    await time.run();
    return { callsPerDecision: (calls - from) / COUNTED, waiting: waited / COUNTED };
  } finally {
    restore();
  }
}
