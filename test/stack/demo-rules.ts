export interface DemoRule {
  readonly route: string;
  /** The policy that denies first. */
  readonly policy: string;
  readonly limit: number;
  /** Units per second that come back while a test is still asking. */
  readonly refill: number;
  /** The policy by address beside it, which bounds a client that changes its key with every request. */
  readonly address?: string;
  /** `RateLimit-Policy` of the rule itself, and of that by address, which is asked if the rule itself allows. */
  readonly field: string;
  readonly addressField?: string;
}

/** A rule by key, of which an address has ten times as much. */
function byKey(
  route: string,
  policy: string,
  { limit, window, refill }: { limit: number; window: number; refill: number },
): DemoRule {
  const address = `${policy}-address`;
  const fieldOf = (name: string, units: number) => `"${name}";q=${units};w=${window}`;
  const [field, addressField] = [fieldOf(policy, limit), fieldOf(address, 10 * limit)];
  return { route, policy, address, limit, refill, field, addressField };
}

/** The rules of the ride-hailing demo, as they are promised; wrangler.toml has to keep to them. */
export const demoRules: readonly DemoRule[] = [
  byKey("POST /api/rides/request", "rides", { limit: 20, window: 2, refill: 10 }),
  byKey("POST /api/fares/estimate", "fares", { limit: 20, window: 2, refill: 10 }),
  byKey("GET /api/drivers/nearby", "drivers", { limit: 30, window: 2, refill: 15 }),
  byKey("GET /api/trips/history", "trips", { limit: 10, window: 2, refill: 5 }),
  {
    route: "POST /api/login",
    policy: "login-burst",
    limit: 5,
    refill: 0,
    field: '"login-burst";q=5;w=10, "login-hourly";q=50;w=3600',
  },
  byKey("GET /api/search", "search", { limit: 30, window: 10, refill: 3 }),
  byKey("GET /api/export", "export", { limit: 6, window: 60, refill: 0 }),
];

let clients = 0;

/** Headers of a client that has no count yet. */
export function newClient(): { "x-api-key": string; "cf-connecting-ip": string } {
  clients++;
  return {
    "x-api-key": `client-${clients}`,
    "cf-connecting-ip": `198.51.${Math.floor(clients / 250)}.${(clients % 250) + 1}`,
  };
}
