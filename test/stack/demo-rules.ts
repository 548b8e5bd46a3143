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

/** The rules of the ride-hailing demo, as they are promised; wrangler.toml has to keep to them. */
export const demoRules: readonly DemoRule[] = [
  {
    route: "POST /api/rides/request",
    policy: "rides",
    address: "rides-address",
    limit: 20,
    refill: 10,
    field: '"rides";q=20;w=2',
    addressField: '"rides-address";q=200;w=2',
  },
  {
    route: "POST /api/fares/estimate",
    policy: "fares",
    address: "fares-address",
    limit: 20,
    refill: 10,
    field: '"fares";q=20;w=2',
    addressField: '"fares-address";q=200;w=2',
  },
  {
    route: "GET /api/drivers/nearby",
    policy: "drivers",
    address: "drivers-address",
    limit: 30,
    refill: 15,
    field: '"drivers";q=30;w=2',
    addressField: '"drivers-address";q=300;w=2',
  },
  {
    route: "GET /api/trips/history",
    policy: "trips",
    address: "trips-address",
    limit: 10,
    refill: 5,
    field: '"trips";q=10;w=2',
    addressField: '"trips-address";q=100;w=2',
  },
  {
    route: "POST /api/login",
    policy: "login-burst",
    limit: 5,
    refill: 0,
    field: '"login-burst";q=5;w=10, "login-hourly";q=50;w=3600',
  },
  {
    route: "GET /api/search",
    policy: "search",
    address: "search-address",
    limit: 30,
    refill: 3,
    field: '"search";q=30;w=10',
    addressField: '"search-address";q=300;w=10',
  },
  {
    route: "GET /api/export",
    policy: "export",
    address: "export-address",
    limit: 6,
    refill: 0,
    field: '"export";q=6;w=60',
    addressField: '"export-address";q=60;w=60',
  },
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
