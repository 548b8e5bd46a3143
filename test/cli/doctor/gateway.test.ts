import { randomUUID } from "node:crypto";

import { beforeAll, expect, inject, test } from "vitest";

import {
  checkAdmin,
  checkAdminHost,
  checkHealth,
} from "../../../packages/cli/src/doctor/checks/gateway-health.ts";
import { gatherGateway } from "../../../packages/cli/src/doctor/gather/gateway.ts";
import { httpClient } from "../../../packages/cli/src/doctor/gather/http.ts";
import { runDoctor } from "../../../packages/cli/src/doctor/run-doctor.ts";
import { freePort } from "../../../scripts/support/free-port.ts";
import {
  cloudflare,
  deployBridge,
  deployGateway,
  deployRedis,
  type Front,
  type GatewayDeployment,
  idsOf,
  PATH,
} from "../../support/cli/deployment.ts";
import { quota, startOrigin } from "../../support/gateway/gateway.ts";

let rest: { url: string; token: string };
beforeAll(() => {
  rest = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
});

/** Changes an answer of the gateway behind. */
function answering(change: (response: Response, request: Request) => Response | void): Front {
  return async (request, gateway) => {
    const response = await cloudflare(request, gateway);
    const changed = new Response(response.body, response);
    return change(changed, request) ?? changed;
  };
}

function without(...prefixes: readonly string[]): Front {
  return answering(({ headers }) => {
    const names = [...headers.keys()];
    for (const name of names) {
      if (prefixes.some((prefix) => name.startsWith(prefix))) headers.delete(name);
    }
  });
}

function pathOf(request: Request): string {
  return new URL(request.url).pathname;
}

/** Answers at the path of health itself. */
function healthOf(answer: () => Response): Front {
  return answering((response, request) =>
    pathOf(request) === "/_tidegate/health" ? answer() : response,
  );
}

function datedBy(ms: number): Front {
  return answering(({ headers }) => {
    headers.set("date", new Date(Date.now() + ms).toUTCString());
  });
}

/** Answers the second request for an address from its copy of the first. */
function cache(): Front {
  const kept = new Map<string, Response>();
  return async (request, gateway) => {
    const known = kept.get(request.url);
    if (known) {
      const answer = known.clone();
      const headers = new Headers(answer.headers);
      headers.set("age", "3");
      return new Response(answer.body, { headers });
    }
    const response = await cloudflare(request, gateway);
    if (pathOf(request) === PATH) kept.set(request.url, response.clone());
    return response;
  };
}

const byHeader = { partition: ["header:x-user-id", "ip"] };
const limitOf = (name: string, limit: number) => [
  { path: "/api/*", policies: [quota(name, limit)] },
];

interface Planted extends GatewayDeployment {
  readonly fault: string;
  readonly found: readonly string[];
}

test.for<Planted>([
  { fault: "nothing", found: [] },
  {
    fault: "a cache in front",
    front: cache(),
    found: ["error cache-answers"],
  },
  {
    fault: "an edge that says that it answered from its cache",
    front: answering(({ headers }, request) => {
      if (pathOf(request) === PATH) headers.set("cf-cache-status", "HIT");
    }),
    found: ["error cache-answers"],
  },
  {
    fault: "an origin whose answers any cache may keep",
    origin: (_request, response) => {
      response.setHeader("cache-control", "public, max-age=60");
      response.end();
    },
    found: ["note cacheable"],
  },
  {
    fault: "a proxy that removes the fields",
    front: without("ratelimit", "x-ratelimit"),
    found: ["warning no-ratelimit-fields"],
  },
  {
    fault: "a proxy that removes only RateLimit",
    front: without("ratelimit"),
    found: [],
  },
  {
    fault: "a proxy that removes Retry-After",
    variables: { RULES: limitOf("one-for-retry", 1) },
    front: without("retry-after"),
    found: ["warning no-retry-after"],
  },
  { fault: "a small limit", variables: { RULES: limitOf("two", 2) }, found: [] },
  {
    fault: "a clock ten seconds ahead",
    front: datedBy(10_000),
    found: ["warning gateway-clock"],
  },
  {
    fault: "a clock ten seconds behind",
    front: datedBy(-10_000),
    found: ["warning gateway-clock"],
  },
  {
    fault: "ambiguous paths that pass",
    variables: { AMBIGUOUS_PATHS: "pass" },
    found: ["note ambiguous-paths-pass"],
  },
  {
    fault: "a rule for every path, which leaves no doubt",
    variables: { RULES: [{ path: "/*", policies: [quota("everything", 1_000)] }] },
    found: [],
  },
  {
    fault: "a proxy that sends other spellings to the origin itself",
    front: (request, gateway) =>
      pathOf(request).startsWith("//") ? new Response("origin") : cloudflare(request, gateway),
    found: ["error path-evades"],
  },
  {
    fault: "a proxy that unescapes backslashes",
    front: (request, gateway) =>
      cloudflare(new Request(request.url.replaceAll("%5C", "/"), request), gateway),
    found: ["warning hostile-paths-pass"],
  },
  {
    fault: "a limit by a header that nobody checks",
    variables: { RULES: [{ path: "/api/*", ...byHeader, policies: [quota("users", 1_000)] }] },
    found: ["warning identity-spoofable"],
  },
  {
    fault: "a limit of one by such a header",
    variables: { RULES: [{ path: "/api/*", ...byHeader, policies: [quota("once", 1)] }] },
    found: ["warning identity-spoofable"],
  },
  {
    fault: "such a limit beside one by address",
    variables: {
      RULES: [
        {
          path: "/api/*",
          policies: [{ ...quota("per-user", 100), ...byHeader }, quota("per-ip", 1_000)],
        },
      ],
    },
    found: ["note identity-spoofable"],
  },
  {
    fault: "one hop trusted where there is none",
    variables: { CLIENT_IP: { trustedHops: 1 } },
    found: ["note address-spoofable:x-forwarded-for"],
  },
  {
    fault: "a proxy that adds the address, and is the one hop trusted",
    variables: { CLIENT_IP: { trustedHops: 1 } },
    front: (request, gateway) => {
      request.headers.append("x-forwarded-for", "192.0.2.1");
      return gateway(request);
    },
    found: [],
  },
  {
    fault: "Cloudflare trusted where it is not in front",
    front: (request, gateway) => gateway(request),
    found: ["note address-spoofable:cf-connecting-ip"],
  },
  {
    fault: "a gateway that counts in memory",
    variables: { STORE: "memory" },
    found: ["warning counts-in-memory"],
  },
  {
    fault: "a wrong token",
    variables: { UPSTASH_REDIS_REST_TOKEN: "wrong" },
    found: ["error gateway-without-redis"],
  },
  {
    fault: "a health check that shows an address",
    front: healthOf(() =>
      Response.json({ status: "ok", store: "redis", at: "redis://10.0.0.7:6379" }),
    ),
    found: ["note health-discloses"],
  },
  {
    fault: "a health check that is closed",
    front: healthOf(() => new Response("no", { status: 403 })),
    found: ["note health-hidden"],
  },
  {
    fault: "suspended hash slots",
    front: healthOf(() =>
      Response.json({ status: "ok", store: "redis", breaker: "closed", suspendedSlots: 64 }),
    ),
    found: ["warning breaker-open"],
  },
  {
    fault: "published rules that are not in force",
    front: healthOf(() =>
      Response.json({ status: "degraded", detail: "version 7 has faults", store: "redis" }),
    ),
    found: ["warning rules-not-in-force"],
  },
  {
    fault: "live rules that could not be read again",
    front: healthOf(() =>
      Response.json({ status: "degraded", code: "rules-not-read", detail: "?", store: "redis" }),
    ),
    found: ["warning rules-not-read"],
  },
  {
    fault: "live rules that gateways have put back",
    front: healthOf(() =>
      Response.json({ status: "degraded", code: "rules-restored", detail: "?", store: "redis" }),
    ),
    found: ["warning rules-restored"],
  },
  {
    fault: "a gateway that lacks published rules",
    front: healthOf(() =>
      Response.json(
        { status: "degraded", code: "rules-missing", detail: "?", store: "redis" },
        { status: 503 },
      ),
    ),
    found: ["warning rules-missing"],
  },
  {
    fault: "keys of tokens that cannot be read",
    front: healthOf(() =>
      Response.json({ status: "degraded", code: "keys-unread", detail: "no keys", store: "redis" }),
    ),
    found: ["warning keys-unread"],
  },
  {
    fault: "a Redis nearby that does not answer",
    front: healthOf(() =>
      Response.json({ status: "degraded", code: "region-gone", detail: "fra", store: "redis" }),
    ),
    found: ["warning region-gone"],
  },
  {
    fault: "counts in Durable Objects, which is none",
    front: healthOf(() => Response.json({ status: "ok", store: "durable-object" })),
    found: [],
  },
  {
    fault: "an admin API that needs no token",
    front: answering((response, request) =>
      pathOf(request).startsWith("/_tidegate/api/") ? Response.json({}) : response,
    ),
    found: ["error admin-open"],
  },
])("$fault: $found", async ({ found, ...deployment }) => {
  const url = await deployGateway(rest, deployment);
  expect(await idsOf({ url })).toEqual(found);
});

test("Durable Objects have their own prices and their own remedy, without a word of Redis", async () => {
  const counting = (body: object, status = 200) =>
    deployGateway(rest, {
      front: healthOf(() => Response.json({ ...body, store: "durable-object" }, { status })),
    });
  const sound = await runDoctor({ url: await counting({ status: "ok" }) });
  expect(sound.observations.find(({ name }) => name === "cost of a decision")?.value).toMatch(
    /^one policy in a Durable Object; a million: \$1\.15 to allow, \$0\.15 to deny/,
  );
  const body = { status: "store-unavailable", code: "ERR_STORE_TIMEOUT", detail: "late" };
  const { findings } = await runDoctor({ url: await counting(body, 503) });
  const remedy = findings.find(({ id }) => id === "gateway-without-redis")?.remedy;
  expect(remedy).toContain("TidegateObject");
  expect(remedy).not.toContain("UPSTASH");
});

test("a rule of one method is looked at with that method", async () => {
  const RULES = [{ method: "POST", path: "/api/*", policies: [quota("posted", 1_000)] }];
  const url = await deployGateway(rest, { variables: { RULES } });
  expect(await idsOf({ url })).toContain("warning no-ratelimit-fields");
  expect(await idsOf({ url, method: "POST" })).toEqual([]);
});

/** Passes the host on that a client names, which the servers of tests do not. */
const withHost: Front = (request, gateway) => {
  const url = new URL(request.url);
  url.host = request.headers.get("host")!;
  return cloudflare(new Request(url, request), gateway);
};

const ADMIN_TOKEN = "fBv4mJ8xQ2fBv4mJ8xQ2";

test("an administration at the site's host is found, and none at a host of its own", async () => {
  const shared = await deployGateway(rest, {
    front: withHost,
    variables: { ADMIN_TOKEN, LIVE_REFRESH: "off", ADMIN_HOST: "any" },
  });
  const apart = await deployGateway(rest, {
    front: withHost,
    variables: { ADMIN_TOKEN, LIVE_REFRESH: "off", ADMIN_HOST: "localhost" },
  });
  const admins = new URL(apart.replace("127.0.0.1", "localhost"));
  const common = { path: PATH, identityHeader: "x-user-id", now: Date.now };
  /** As if the addresses were not of this machine. */
  const foundAt = async (url: string, adminUrl?: URL) => {
    const facts = await gatherGateway({ url: new URL(url), adminUrl, ...common });
    if ("reason" in facts) throw new Error(facts.reason);
    const placed = { ...facts, url: new URL("https://www.example.com") };
    const findings = [checkAdminHost(placed), ...checkHealth(facts), checkAdmin(facts)];
    return findings.flatMap((finding) => finding?.id ?? []);
  };
  expect(await foundAt(shared)).toEqual(["admin-on-site-host"]);
  expect(await foundAt(apart)).toEqual(["health-hidden"]);
  expect(await foundAt(apart, admins)).toEqual([]);
  // Only the administration is there.
  expect(await foundAt(admins.origin)).toEqual([]);
  // On this machine it is no finding.
  expect(await idsOf({ url: shared })).toEqual([]);
});

test("an origin without a gateway is not taken for one", async () => {
  const { url } = await startOrigin();
  expect(await idsOf({ url })).toEqual(["error not-the-gateway"]);
});

test("a gateway that does not answer is a finding", async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  expect(await idsOf({ url })).toEqual(["error gateway-unreachable"]);
});

test("a gateway that counts in another Redis than the one looked at is found by its dialect", async () => {
  const upstash = await deployBridge((await deployRedis()).url, { emulate: "upstash" });
  const stock = await deployBridge((await deployRedis()).url);
  const url = await deployGateway(upstash);
  expect(await idsOf({ url, rest: upstash })).toEqual([]);
  expect(await idsOf({ url, rest: stock })).toEqual(["warning another-redis"]);
});

test("a gateway whose scripts lock all of Upstash is found", async () => {
  const rest = await deployBridge((await deployRedis()).url, { emulate: "upstash" });
  const url = await deployGateway(rest, { variables: { REDIS_DIALECT: "redis" } });
  expect(await idsOf({ url, rest })).toEqual(["warning database-locked"]);
});

const BY_USER = (limit: number, refill: number) => [
  {
    path: "/api/*",
    partition: ["header:x-user-id"],
    policies: [{ algorithm: "token-bucket", name: "api", limit, refill, per: "1s" }],
  },
];

const AT_ONCE = [
  {
    path: "/api/*",
    policies: [{ algorithm: "token-bucket", name: "api", limit: 1, refill: 100, per: "1s" }],
  },
];

const SHARED = ["preview-shares-counts"];

test.for<{ counts: string; RULES?: object; PREFIX?: string; found: readonly string[] }>([
  { counts: "by addresses", PREFIX: "one", found: SHARED },
  { counts: "by names", RULES: BY_USER(100, 1), PREFIX: "one", found: SHARED },
  { counts: "by names, with a limit of 1", RULES: BY_USER(1, 1), PREFIX: "one", found: SHARED },
  { counts: "by addresses", found: [] },
  { counts: "by names", RULES: BY_USER(100, 1), found: [] },
  { counts: "by names, with a limit of 1", RULES: BY_USER(1, 1), found: [] },
  { counts: "by addresses, and refills at once", RULES: AT_ONCE, found: [] },
])("of a preview with the PREFIX $PREFIX that counts $counts: $found", async (planted) => {
  const { found, counts: _, PREFIX, ...variables } = planted;
  if (PREFIX) Object.assign(variables, { PREFIX: `doctor-${randomUUID()}` });
  const [url, preview] = [
    await deployGateway(rest, { variables }),
    await deployGateway(rest, { variables }),
  ];
  const { findings } = await runDoctor({ url, preview, path: PATH });
  expect(findings.filter(({ id }) => id.startsWith("preview"))).toEqual(
    found.map((id) =>
      expect.objectContaining({
        id,
        severity: "warning",
        evidence: expect.stringMatching(
          /^after 8 requests of a client to the gateway, api in \S+ has (?:\d+|nothing) left for it, where a client before had \d+$/,
        ) as string,
      }),
    ),
  );
});

test("a preview that does not answer, or shows nothing, is told from a sound one", async () => {
  const url = await deployGateway(rest);
  const { url: origin } = await startOrigin();
  expect(await idsOf({ url, preview: origin })).toEqual(["note preview-unknown"]);
  const preview = `http://127.0.0.1:${await freePort()}`;
  expect(await idsOf({ url, preview })).toEqual(["error preview-unreachable"]);
});

test("paths are sent as they are, below the folder of the address", async () => {
  const paths: (string | undefined)[] = [];
  const { url } = await startOrigin((request, response) => {
    paths.push(request.url);
    response.end('{"status":"ok"}');
  });
  await idsOf({ url: `${url}/v1/`, path: "/a/b?c=d" });
  const spellings = paths.slice(paths.findLastIndex((path) => path === "/v1/a/b?c=d") + 1);
  expect(spellings).toEqual([
    "/v1//a/b",
    "/v1/./a/b",
    "/v1/a%2Fb",
    "/v1/a-b",
    "/v1/a;x/b",
    "/v1/a-x/b",
    "/v1/doctor/..%2Fa/b",
    "/v1/doctor%5Ca/b",
  ]);
  expect(paths.slice(0, 3)).toEqual([
    "/v1/_tidegate/live",
    "/v1/_tidegate/health",
    "/v1/_tidegate/api/v1/rules",
  ]);
});

test("an answer without end is left after a megabyte", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const { url } = await startOrigin((_request, response) => {
    response.on("close", resolve);
    const chunk = Buffer.alloc(65_536, "x");
    const more = () => {
      while (!response.destroyed && response.write(chunk));
    };
    response.on("drain", more);
    more();
  });
  const { body } = await httpClient(new URL(url), () => 0)("/");
  expect(body).toBe("x".repeat(1_000_000));
  await closed;
});
