import type { ReservingLimiter } from "../../../src/decide/hold.ts";
import { EVERY_FEATURE } from "../../../src/features/every-feature.ts";
import { buildLimiter } from "../../../src/limiter/limiter.ts";
import { checkSettings, type LimiterSettings } from "../../../src/limiter/settings.ts";
import { Faults } from "../../../src/options/faults.ts";
import type { Store } from "../../../src/store/store.ts";
import type { Caller } from "./network.ts";
import type { Story } from "./story.ts";

/** Has no server: the stores are opened elsewhere. */
const REDIS = { url: "https://redis.example", token: "t" };

/** The settings of each version of the policies, with the isolates' clock. */
export function settingsOf(
  story: Story,
  now: () => number,
  isPlain = false,
): readonly LimiterSettings[] {
  const { versions, termMs, credit, stores, onFailure, remembersDenials } = story;
  return versions.map(({ policies, plans }) => {
    const faults = new Faults();
    const settings = checkSettings(
      {
        policies: policies.map((policy) =>
          "notify" in policy ? { ...policy, onNotice: () => {} } : policy,
        ),
        plans,
        onFailure,
        ...(!remembersDenials && { denialCache: false }),
        ...(!isPlain && {
          region: {
            name: "r",
            redis: REDIS,
            term: `${termMs}ms`,
            regions: stores,
            ...(credit > 0 && { credit }),
          },
        }),
      },
      EVERY_FEATURE,
      faults,
    );
    faults.throwIfAny();
    return Object.assign(settings, { now });
  });
}

export interface Isolate {
  readonly caller: Caller;
  /** The limiter that is in force at a time from the start, in microseconds. */
  limiterAt(passedUs: number): ReservingLimiter;
  /** A limiter of the same policies without the region. */
  readonly plain: ReservingLimiter;
}

export function openIsolate(
  { changeAt = Infinity }: Story,
  versions: readonly LimiterSettings[],
  plain: LimiterSettings,
  storeFor: (caller: Caller) => Store,
): Isolate {
  const caller = { isDead: false };
  const store = storeFor(caller);
  const build = (settings: LimiterSettings) => buildLimiter(store, settings, EVERY_FEATURE);
  const limiters = versions.map(build);
  return {
    caller,
    limiterAt: (passedUs) => limiters[passedUs < changeAt ? 0 : 1]!,
    plain: build(plain),
  };
}
