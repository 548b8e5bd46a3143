import { slidingWindowCounter } from "../algorithms/sliding-window-counter.ts";
import type { Hold, Reserve } from "../decide/hold.ts";
import type { Limiter } from "../decide/limiter-types.ts";
import { refundable } from "../features/holds/holds-feature.ts";
import type { Policy } from "../policy/policy.ts";
import { QUOTA_KINDS, type Quota, type QuotaKind, quotasIn } from "./provider-quota.ts";

/** The part of a limiter that a pacer needs. */
export type PacingLimiter = Reserve & Pick<Limiter, "peek" | "charge">;

/** A model of a provider that requests may go to, with the limits of your account until a response tells them. */
export interface PacedTarget {
  /** Names the quota in Redis. Models that share one quota at their provider have one name. */
  readonly name: string;
  /** Units a minute, and a day. Leave out what the provider does not limit. */
  readonly limits: Readonly<Partial<Record<QuotaKind, number>>>;
}

/** Units of each quota. */
export type QuotaUnits = Readonly<Record<QuotaKind, number>>;

/** Units by the name of a policy. */
type Parts = Readonly<Record<string, number>>;

/** The units that a request took of the quota of a target. */
export interface Taken {
  readonly hold: Hold;
  /** The cost that settles the hold at these units. */
  readonly costOf: (units: QuotaUnits) => Parts;
}

/** The quota of one target, which all workers share. */
export interface TargetQuota {
  /** Takes units if each limit has room for them and for this share of it besides. */
  take(units: QuotaUnits, leftFree: number): Promise<Taken | { readonly waitMs: number }>;
  /** Learns from the header fields of a response, and from limits that it names besides. */
  learn(headers: Headers, more?: Readonly<Partial<Record<QuotaKind, Quota>>>): void;
  /** Takes from the shared counts what they have more than the provider says. */
  align(): Promise<void>;
  /** Whether the provider says that a quota is nearly used up. */
  isNearlyUsedUp(): boolean;
}

/**
 * The limit of each policy, in parts of the provider's limit: a worker that does not yet know a new one is then wrong about its own
 * requests alone.
 */
const WHOLE = 1_000_000_000;

/** The windows in which units are counted, and the parts of its span that one has: providers count requests in shorter ones, too. */
const WINDOWS: Readonly<Record<QuotaKind, { readonly seconds: number; readonly parts: number }>> = {
  requests: { seconds: 10, parts: 6 },
  tokens: { seconds: 60, parts: 1 },
  input: { seconds: 60, parts: 1 },
  output: { seconds: 60, parts: 1 },
  requestsPerDay: { seconds: 86_400, parts: 1 },
  tokensPerDay: { seconds: 86_400, parts: 1 },
};

const isOfDay = (kind: string) => kind.endsWith("PerDay");

/** Parts from here on are rounded down, so that all of a small limit fit; that is at most a millionth too little. */
const COARSE = WHOLE / 1_000;

const roundParts = (parts: number) => (parts < COARSE ? Math.ceil(parts) : Math.floor(parts));

/** Below this share of its limit a quota is compared with what the provider says is left: one of a day for a quarter of an hour. */
const nearlyUsedUp = (kind: string) => (isOfDay(kind) ? 0.01 : 0.1);

/** The policies by which quotas of these kinds are counted. They give back exactly what a request did not take. */
export function quotaPolicies(kinds: readonly QuotaKind[]): readonly Policy[] {
  return kinds.map((name) =>
    slidingWindowCounter({
      name,
      limit: WHOLE,
      window: `${WINDOWS[name].seconds}s`,
      refundable: refundable(),
    }),
  );
}

/**
 * @param share the part of each limit that is used
 * @param limiter one of the policies of these kinds, and maybe of others
 */
export function createTargetQuota(
  { name, limits }: PacedTarget,
  share: number,
  kinds: readonly QuotaKind[],
  limiter: PacingLimiter,
): TargetQuota {
  let quotas: Readonly<Partial<Record<QuotaKind, Quota>>> = Object.fromEntries(
    Object.entries(limits).map(([kind, limit]) => [kind, { limit }]),
  );

  /** In whole units of a day's limit: a share of three requests would else leave one unused for a whole day. */
  function usableOf(kind: QuotaKind, { limit }: Quota): number {
    const usable = (limit * share) / WINDOWS[kind].parts;
    return isOfDay(kind) ? Math.max(usable, Math.round(usable)) : usable;
  }

  /** Units of quotas in parts of their limits. More than a limit would never have room. */
  function partsBy(known: typeof quotas, units: QuotaUnits, most: number): Parts {
    const parts = kinds.map((kind) => {
      const quota = known[kind];
      const part = quota ? roundParts((units[kind] / usableOf(kind, quota)) * WHOLE) : 0;
      return [kind, Math.min(part, most)] as const;
    });
    return Object.fromEntries(parts);
  }

  return {
    async take(units, leftFree) {
      const known = quotas;
      const cost = partsBy(known, units, WHOLE);
      if (leftFree > 0) {
        const more = Object.entries(cost).map(([kind, part]) => [
          kind,
          Math.min(part === 0 ? 0 : part + Math.ceil(leftFree * WHOLE), WHOLE),
        ]);
        const { allowed, retryAfterMs } = await limiter.peek(name, {
          cost: Object.fromEntries(more) as Parts,
        });
        if (!allowed) return { waitMs: retryAfterMs };
      }
      const hold = await limiter.reserve(name, { cost });
      if (!hold.allowed) return { waitMs: hold.retryAfterMs };
      return { hold, costOf: (taken) => partsBy(known, taken, Number.MAX_SAFE_INTEGER) };
    },

    learn(headers, more = {}) {
      const told = Object.entries({ ...quotasIn(headers, Date.now()), ...more });
      quotas = { ...quotas, ...Object.fromEntries(told.filter(([kind]) => kind in quotas)) };
    },

    async align() {
      const { policies } = await limiter.peek(name);
      const excess = policies.map(({ name: policy, remaining }) => {
        const kind = QUOTA_KINDS.find((each) => each === policy);
        const quota = kind && quotas[kind];
        if (!quota || quota.remaining === undefined) return [policy, 0] as const;
        const left = (quota.remaining / usableOf(kind, quota)) * WHOLE;
        return [policy, Math.max(0, Math.ceil(remaining - left))] as const;
      });
      if (excess.some(([, parts]) => parts > 0)) {
        await limiter.charge(name, Object.fromEntries(excess));
      }
    },

    isNearlyUsedUp: () =>
      Object.entries(quotas).some(
        ([kind, { limit, remaining = limit }]) => remaining < limit * nearlyUsedUp(kind),
      ),
  };
}
