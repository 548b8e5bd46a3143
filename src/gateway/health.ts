import { fixedWindow } from "../algorithms/fixed-window.ts";
import { StoreError } from "../options/errors.ts";
import { Faults } from "../options/faults.ts";
import { compilePolicies } from "../policy/compile.ts";
import type { Store, StoreFacts } from "../store/store.ts";
import type { GatewayConfig } from "./config/config.ts";
import type { ControlInspection } from "./live/control-facts.ts";
import { type GatewayFault, liveFault } from "./live/live-health.ts";
import type { LiveRules } from "./live/open-live.ts";

/** How long an answer is reused, so that health checks cannot put load on Redis. */
const FRESH_MS = 1_000;

/** Never used up, so that every check writes, as a decision does: a store may answer reads and refuse writes. */
const MAX_CHECKS = 1_000_000_000;

/** A policy for health checks only. Charging it exercises the whole way to Redis and back. */
const POLICIES = compilePolicies(
  [fixedWindow({ name: "health", limit: MAX_CHECKS, window: "1s" })],
  "policies",
  new Faults(),
);

/** The answer for load balancers, as long as the gateway serves. It asks nobody. */
export function alive(): Response {
  return Response.json({ status: "ok" }, { headers: { "Cache-Control": "no-store" } });
}

/** The fault of a gateway that cannot read the keys of tokens. */
const KEYS_UNREAD: GatewayFault = {
  code: "keys-unread",
  detail:
    "The keys of JWT could not be read: tokens are verified by those of before, or count as missing.",
  isFatal: false,
};

/** The fault of a gateway of which a store nearby does not answer. */
function regionFault({ regions = [] }: StoreFacts): GatewayFault | undefined {
  const gone = regions.filter(({ code }) => code !== undefined);
  if (gone.length === 0) return undefined;
  const details = gone.map(
    ({ name, code }) => `The region ${name} gives no answer (${code}): home decides its requests.`,
  );
  return { code: "region-gone", detail: details.join(" "), isFatal: false };
}

/** Why a gateway is unwell although its store decides; `undefined` if it is not. */
export function gatewayFault(
  { requiresLiveRules, defaults }: Pick<GatewayConfig, "requiresLiveRules" | "defaults">,
  rules: Pick<LiveRules, "enforcement" | "refresh">,
): GatewayFault | undefined {
  const keysError = defaults.tokenReader?.error();
  return liveFault(rules, requiresLiveRules) ?? (keysError === undefined ? undefined : KEYS_UNREAD);
}

type Verdict =
  | { readonly status: "ok" }
  | { readonly status: "store-unavailable"; readonly code: string; readonly detail: string };

type Status = Verdict & StoreFacts;

/**
 * Creates the health check. It answers 200 if decisions come from the store, else 503 with the error's code, and
 * describes the store. While rules other than the published ones are in force, or the keys of tokens cannot be read, its status is
 * `degraded`, still with 200 unless the rules are required. It writes one key of its own, which expires within two seconds.
 */
export function healthCheck(
  store: Store,
  prefix: string,
  now: () => number,
  faultNow: () => GatewayFault | undefined,
  control?: ControlInspection,
): () => Promise<Response> {
  // No identity maps to this partition: a partition key that begins with `#` has 43 more characters.
  const keys = POLICIES.map(({ key }) => `${prefix}:{#health}:${key}`);
  let askedAtMs = -Infinity;
  let known: Status | undefined;

  async function decide(): Promise<Verdict> {
    try {
      await store.decide("charge", keys, [1], POLICIES);
      return { status: "ok" };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      return { status: "store-unavailable", code: error.code, detail: error.message };
    }
  }

  async function ask(): Promise<Status> {
    const verdict = await decide();
    return { ...verdict, ...((await store.inspect?.()) ?? { store: "memory" }) };
  }

  return async function health() {
    // The answer is kept, not its promise: on Workers the request that asks may be gone before its answer arrives, and
    // no timer of their own ends the wait of the others here.
    if (known === undefined || now() - askedAtMs >= FRESH_MS) {
      askedAtMs = now();
      [known] = await Promise.all([ask(), control?.ask()]);
    }
    const fault = known.status === "ok" ? (faultNow() ?? regionFault(known)) : undefined;
    const isWell = known.status === "ok" && fault?.isFatal !== true;
    const body = {
      ...known,
      ...(fault && { status: "degraded", code: fault.code, detail: fault.detail }),
      control: control?.facts(),
    };
    return Response.json(body, {
      status: isWell ? 200 : 503,
      headers: { "Cache-Control": "no-store" },
    });
  };
}
