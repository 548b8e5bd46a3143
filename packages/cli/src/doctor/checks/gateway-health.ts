import { isLoopback } from "../../connection.ts";
import type { Finding } from "../finding.ts";
import type { GatewayFacts, UnreachableGateway } from "../gather/gateway-facts.ts";
import type { HttpAnswer } from "../gather/http.ts";

/** The fields of the gateway's health check; each may be missing. */
export interface Health {
  readonly status?: unknown;
  readonly code?: unknown;
  readonly detail?: unknown;
  readonly store?: unknown;
  readonly dialect?: unknown;
  readonly version?: unknown;
  readonly breaker?: unknown;
  readonly suspendedSlots?: unknown;
  readonly control?: unknown;
}

export function healthOf({ body }: HttpAnswer): Health | undefined {
  try {
    const health: unknown = JSON.parse(body);
    return typeof health === "object" && health !== null ? health : undefined;
  } catch {
    return undefined;
  }
}

export function checkGatewayReachable({ url, reason }: UnreachableGateway): Finding | undefined {
  return {
    id: "gateway-unreachable",
    severity: "error",
    title: "The gateway does not answer",
    evidence: `${url.origin}: ${reason}`,
    remedy: "Check the address, the route to the worker, and its log.",
  };
}

export function checkLive({ live, url }: GatewayFacts): Finding | undefined {
  if (live.status === 200 && healthOf(live)?.status === "ok") return undefined;
  return {
    id: "not-the-gateway",
    severity: "error",
    title: "What answers is not Tidegate's gateway",
    evidence: `${url.origin}/_tidegate/live answers ${live.status} with other content`,
    remedy: "Route all paths, those below /_tidegate/ too, to the gateway.",
  };
}

export function checkHealth({ health: answer }: GatewayFacts): (Finding | undefined)[] {
  const { status, body } = answer;
  const health = healthOf(answer);
  // 404: the gateway answers elsewhere, with ADMIN_HOST.
  if (health?.status === undefined || status === 404) {
    return [
      {
        id: "health-hidden",
        severity: "note",
        title: "The health check cannot be read from here",
        evidence: `/_tidegate/health answers ${status}: ${body.slice(0, 80)}`,
        remedy:
          "Run the doctor from where your monitoring runs, which needs this path; with ADMIN_HOST, give its address as --admin-url.",
      },
    ];
  }
  if (health.status !== "ok" && health.status !== "degraded") {
    return [
      {
        id: "gateway-without-redis",
        severity: "error",
        title: "The gateway gets no decisions from its store",
        evidence: `${String(health.code)}: ${String(health.detail)}`,
        remedy: `Until the store decides again, ON_FAILURE does. ${
          health.store === "durable-object"
            ? "Look for errors of TidegateObject in `npx wrangler tail`, and at Cloudflare's status."
            : "Check the two variables UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN, and run the doctor with --rest-url."
        }`,
      },
    ];
  }
  return [checkDegraded(health), checkControl(health), checkStore(health), checkBreaker(health)];
}

const OWN_CONTROL =
  "Give live rules, blocks and the audit a Redis that keeps its data: CONTROL_REDIS_REST_URL and CONTROL_REDIS_REST_TOKEN. That of the counts can do without.";

/** Rules and blocks that a restart would lose. */
function checkControl({ control }: Health): Finding | undefined {
  const { persistence } = Object(control) as { readonly persistence?: unknown };
  if (persistence === "none") {
    return {
      id: "control-not-kept",
      severity: "warning",
      title: "A restart loses the live rules",
      evidence: "their Redis has neither an append-only file nor snapshots",
      remedy: OWN_CONTROL,
    };
  }
  if (persistence !== "unknown") return undefined;
  return {
    id: "control-unknown",
    severity: "note",
    title: "Whether a restart loses the live rules is not known",
    evidence: "the gateway sees no append-only file, and their Redis answers no CONFIG GET save",
    remedy: `${OWN_CONTROL} With appendonly yes, INFO alone shows that it does.`,
  };
}

type Fault = Pick<Finding, "id" | "title" | "remedy">;

/** The faults of a gateway that is degraded. Each has the id of its code in health. */
const DEGRADED: readonly Fault[] = [
  {
    id: "rules-not-read",
    title: "The live rules could not be read again",
    remedy:
      "Those of the last read stay in force. It ends with the next read after an outage; if it stays, the Redis of the live rules does not answer the gateway: GET /_tidegate/api/v1/health says why.",
  },
  {
    id: "rules-restored",
    title: "The Redis of the live rules had lost some of them, and gateways have put them back",
    remedy:
      "The rules are in force again, and nothing is left to restore. See what was put back: npx tidegate audit. Find out why that Redis lost it: drafts and the older history are gone. The next publication ends this finding, or an hour.",
  },
  {
    id: "rules-missing",
    title: "No published rules are in force",
    remedy:
      "The gateway enforces the deployed rules, and LIVE_RULES requires published ones. Publish them: npx tidegate rules push rules.json.",
  },
  {
    id: "keys-unread",
    title: "The keys of JWT cannot be read",
    remedy:
      "Ask the address in jwks of JWT from where the gateway runs: it has to answer 200 with a set of keys, without a redirect. GET /_tidegate/api/v1/health says why it does not.",
  },
  {
    id: "region-gone",
    title: "A regional store of the gateway does not answer",
    remedy:
      "If it is a Redis, run the doctor with --region-url from where the gateway runs; if it is Durable Objects, look for errors of TidegateRegion in `npx wrangler tail`. Until it answers, requests wait for home.",
  },
];

/** The fault of any other code. */
const NOT_IN_FORCE: Fault = {
  id: "rules-not-in-force",
  title: "The gateway enforces other rules than the published ones",
  remedy:
    "GET /_tidegate/api/v1/health says which rules are in force, and why. Gateways put back what the control store has lost; where they cannot, fetch what one still holds, and push it: npx tidegate rules pull --held -o held.json. Else publish rules without the fault, or roll back: npx tidegate rules rollback.",
};

/** A gateway that is degraded decides by Redis. */
function checkDegraded({ status, code, detail }: Health): Finding | undefined {
  if (status !== "degraded") return undefined;
  const fault = DEGRADED.find(({ id }) => id === code) ?? NOT_IN_FORCE;
  return { ...fault, severity: "warning", evidence: `/_tidegate/health: ${String(detail)}` };
}

function checkStore({ store }: Health): Finding | undefined {
  if (store !== "memory") return undefined;
  return {
    id: "counts-in-memory",
    severity: "warning",
    title: "Each isolate of the gateway counts alone",
    evidence: "its store is memory",
    remedy:
      'Set STORE = "redis" or "durable-object": n isolates that count alone admit up to n times each limit.',
  };
}

function checkBreaker({ breaker, suspendedSlots }: Health): Finding | undefined {
  const slots = Number(suspendedSlots ?? 0);
  if ((breaker === undefined || breaker === "closed") && slots === 0) return undefined;
  return {
    id: "breaker-open",
    severity: "warning",
    title: "The circuit breaker has suspended Redis",
    evidence: `breaker ${String(breaker)}${slots > 0 ? `, ${slots} hash slots suspended` : ""}`,
    remedy:
      "Redis, or one master of the cluster, did not answer within TIMEOUT five times in a row. Run the doctor with --rest-url to see why.",
  };
}

/** An address of the store, which the gateway itself never names. */
const ADDRESS = /\w+:\/\/[^\s"]+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/;

export function checkDisclosure({ health }: GatewayFacts): Finding | undefined {
  const found = ADDRESS.exec(health.body)?.[0];
  if (found === undefined) return undefined;
  return {
    id: "health-discloses",
    severity: "note",
    title: "The health check shows an address to everybody",
    evidence: `/_tidegate/health contains ${found}`,
    remedy:
      "Let only your monitoring ask this path, or have what is in front add nothing to the answer.",
  };
}

export function checkAdmin({ admin, ownAdmin }: GatewayFacts): Finding | undefined {
  if (admin.status !== 200 && ownAdmin?.status !== 200) return undefined;
  return {
    id: "admin-open",
    severity: "error",
    title: "The admin API answers without a token",
    evidence: "/_tidegate/api/v1/rules answers 200 to a request without Authorization",
    remedy:
      "Something in front adds the token, or answers from a cache. Let only administrators reach the path that does.",
  };
}

/** The answer of a gateway to a path that it does not serve at this host. */
const NOTHING_HERE = /The gateway has nothing at this path/;

export function checkAdminHost({
  url,
  admin,
  limited: [first],
}: GatewayFacts): Finding | undefined {
  const asksForToken = admin.status === 401 && admin.fields.get("www-authenticate") === "Bearer";
  // The host of the administration serves no other path.
  const isAdminHost = first?.status === 404 && NOTHING_HERE.test(first.body);
  if (!asksForToken || isAdminHost || isLoopback(url)) return undefined;
  return {
    id: "admin-on-site-host",
    severity: "warning",
    title: "The administration has the host of the site",
    evidence: `${url.host} asks for a token at /_tidegate/api/v1/rules, and serves the site, too`,
    remedy:
      "Set ADMIN_HOST to a host of its own: a page or a service worker of the site can take the token of whoever opens the dashboard at the site's host.",
  };
}
