import { ROUTES } from "../people/person.ts";

/** Policies as data, as the gateway's rules have them. */
type PolicyData = Readonly<Record<string, unknown>>;

/** The bucket that the mission's incident report has for each endpoint. */
export const RIDER_BUCKET = { limit: 20, refill: 10, per: "1s" } as const;

/**
 * The capacity of the matching service, for all clients together. A quarter of a second of it may come at once: enough for the
 * lease's pieces, and no queue worth the name.
 */
export function ceilingOf(capacity: number) {
  return { limit: Math.ceil(capacity / 4), refill: capacity, per: "1s" } as const;
}

const RIDER = ["header:x-user-id", "ip"];

function riderRules(more: PolicyData = {}): object[] {
  return Object.entries(ROUTES).map(([name, { method, path }]) => ({
    method,
    path,
    partition: RIDER,
    policies: [{ algorithm: "token-bucket", name, ...RIDER_BUCKET, ...more }],
  }));
}

function ceilingRule(capacity: number, more: PolicyData = {}): object {
  const ceiling = ceilingOf(capacity);
  return {
    path: "/api/*",
    partition: "*",
    policies: [
      { algorithm: "token-bucket", name: "matching", ...ceiling, lease: "100ms", ...more },
    ],
  };
}

/** The gateway wants a rule: one that covers no request of the surge. */
const NO_LIMIT = { ...riderRules()[0], path: "/nothing" };

const JITTER = { retryJitter: 0.1 };

/** The rules of each set-up of the gateway, from none to all. */
export const LAYERS = {
  without: () => [NO_LIMIT],
  bucket: () => riderRules(),
  ceiling: (capacity: number) => [...riderRules(), ceilingRule(capacity)],
  with: (capacity: number) => [...riderRules(JITTER), ceilingRule(capacity, JITTER)],
} satisfies Record<string, (capacity: number) => object[]>;

export type Layer = keyof typeof LAYERS;
