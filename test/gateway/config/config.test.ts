import { afterEach, describe, expect, test, vi } from "vitest";

import { readConfig } from "../../../src/gateway/config/config.ts";
import { ConfigurationError, type FaultCode } from "../../../src/options/errors.ts";
import { expectFault, faultsOf } from "../faults.ts";

const policy = { algorithm: "fixed-window", name: "p", limit: 5, window: "1m" };
const rule = { path: "/a", policies: [policy] };
const sound = {
  ORIGIN: "https://origin.example",
  STORE: "memory",
  CLIENT_IP: "cloudflare",
  RULES: [rule],
};

const redis = {
  UPSTASH_REDIS_REST_URL: "https://redis.example",
  UPSTASH_REDIS_REST_TOKEN: "secret",
};
const ADMIN_TOKEN = "fBv4mJ8xQ2nK7tWcZ1pL";
const READ_TOKEN = "rHs6wD3yN9kG5uXbV0qM";
const withRule = (changes: object) => ({ RULES: [{ ...rule, ...changes }] });
const withPolicy = (changes: object) => withRule({ policies: [{ ...policy, ...changes }] });
const withSecond = (changes: object) =>
  withRule({ policies: [policy, { ...policy, name: "second", ...changes }] });

/** As many segments between `**` and a last `*` as there may be; only these count. */
const FULL_OF_GAPS = [`/**${"/:x".repeat(99)}/*`, "/x/**/y/*"].map((path, i) => ({
  path,
  policies: [{ ...policy, name: `gap${i}` }],
}));

const plan = "header:x";

type Row = readonly [
  variables: object,
  path: string,
  value: string,
  code: FaultCode,
  says?: string,
];

/** Wrong changes of a part of the rules. The first is at fault, or what `at` names in it, and is shown as it is. */
type Change = readonly [changes: object, code: FaultCode, at?: string, shown?: string];

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  return typeof value === "function" ? "a function" : JSON.stringify(value);
}

const rowsOf = (
  place: string,
  put: (changes: object) => object,
  changed: readonly Change[],
): Row[] =>
  changed.map(([changes, code, at, value]) => {
    const [name, given] = Object.entries(changes)[0]!;
    return [put(changes), `${place}.${at ?? name}`, value ?? shown(given), code];
  });

const variables: readonly Row[] = [
  [{ ORIGIN: undefined }, "ORIGIN", "missing", "shape"],
  [{ ORIGIN: "origin.example" }, "ORIGIN", '"origin.example"', "shape"],
  [{ ORIGIN: "ftp://x" }, "ORIGIN", '"ftp://x"', "shape"],
  [{ ORIGIN: "https://x?y" }, "ORIGIN", '"https://x?y"', "shape"],
  [{ ORIGIN: "https://x/?key=s3cret" }, "ORIGIN", '"https://x/?key=(hidden)"', "shape"],
  [{ ORIGIN: "https://a:b/c@d:e@f@x" }, "ORIGIN", '"https://(hidden)@x"', "shape"],
  [{ ORIGIN: "zone" }, "ORIGIN", '"zone"', "shape"],
  [{ STORE: "disk", ...redis }, "STORE", '"disk"', "shape"],
  [{ STORE: "durable-object" }, "STORE", '"durable-object"', "unsupported"],
  [{ PREFIX: "a{b}" }, "PREFIX", '"a{b}"', "shape"],
  [{ TIMEOUT: "2m" }, "TIMEOUT", '"2m"', "shape"],
  [{ TIMEOUT: 250 }, "TIMEOUT", "250", "shape"],
  [{ ON_FAILURE: "shut" }, "ON_FAILURE", '"shut"', "choice"],
  [{ ON_FAILURE: '{"local":{"share":0}}' }, "ON_FAILURE.local.share", "0", "range"],
  [{ ON_FAILURE: { local: { share: 2 } } }, "ON_FAILURE.local.share", "2", "range"],
  [{ ON_FAILURE: '{"local":0.1}' }, "ON_FAILURE", '{"local":0.1}', "choice"],
  [{ SHARED_DENIALS: "all" }, "SHARED_DENIALS", '"all"', "shape"],
  [{ SHARED_DENIALS: "colo" }, "SHARED_DENIALS", '"colo"', "unsupported"],
  [{ AMBIGUOUS_PATHS: "allow" }, "AMBIGUOUS_PATHS", '"allow"', "shape"],
  [{ AMBIGUOUS_PATHS: "" }, "AMBIGUOUS_PATHS", '""', "shape"],
  [{ CORS: "https://a.example" }, "CORS", '"https://a.example"', "no-json"],
  [{ CORS: '"*"' }, "CORS", '"*"', "shape"],
  [{ CORS: ["*"] }, "CORS", '["*"]', "shape"],
  [{ CORS: {} }, "CORS.origin", "missing", "shape"],
  ...[
    "app.example",
    "https://a.example/",
    "https://a.example/x",
    "https://A.example",
    "https://a.example:443",
    "https://*.example",
    "null",
    "",
  ].map((origin): Row => {
    const list = ["https://b.example", origin];
    return [{ CORS: { origin: list } }, "CORS.origin[1]", JSON.stringify(origin), "shape"];
  }),
  [{ CORS: '{"origin":"a"}' }, "CORS.origin", '"a"', "shape"],
  [{ CORS: { origin: [] } }, "CORS.origin", "[]", "shape"],
  [{ CORS: { origin: ["*"] } }, "CORS.origin[0]", '"*"', "shape"],
  ...rowsOf("CORS", (changes) => ({ CORS: { origin: "*", ...changes } }), [
    [{ credentials: true }, "shape"],
    [{ credentials: "yes" }, "shape"],
    [{ allowMethods: "GET" }, "shape"],
    [{ allowMethods: ["get"] }, "shape", "allowMethods[0]", '"get"'],
    [{ allowHeaders: ["x", "a b"] }, "shape", "allowHeaders[1]", '"a b"'],
    [{ exposeHeaders: [1] }, "shape", "exposeHeaders[0]", "1"],
    [{ maxAge: "10m" }, "shape"],
    [{ maxAge: -1 }, "shape"],
    [{ maxage: 5 }, "unknown-option"],
  ]),
  ...rowsOf(
    "CORS",
    (changes) => ({ CORS: { origin: "https://a.example", credentials: true, ...changes } }),
    [[{ allowHeaders: ["*"] }, "shape", "credentials", "true"]],
  ),
  [{ CLIENT_IP: "nginx" }, "CLIENT_IP", '"nginx"', "choice"],
  [{ CLIENT_IP: undefined }, "CLIENT_IP", "missing", "missing"],
  [{ CLIENT_IP: { trustedHops: 0 } }, "CLIENT_IP", '{"trustedHops":0}', "choice"],
  ...Object.entries({
    TIME_OUT: "TIMEOUT",
    timeout: "TIMEOUT",
    TIMOUT: "TIMEOUT",
    ON_FALIURE: "ON_FAILURE",
    ONFAILURE: "ON_FAILURE",
    "ON-FALIURE": "ON_FAILURE",
    PREFFIX: "PREFIX",
    SHARED_DENIAL: "SHARED_DENIALS",
    PLAN: "PLANS",
  }).map(([name, meant]): Row => [
    { [name]: "1s" },
    name,
    '"(hidden)"',
    "unknown-option",
    `Did you mean ${meant}?`,
  ]),
  ...[
    "ORIGIN_TIMEOUT",
    "ON_ERROR",
    "REDIS_DIALECT",
    "LIVE_REFRESH",
    "METRICS",
    "METRICS_FLUSH",
    "METRICS_IDENTITIES",
    "DENIAL_LOG",
  ].map((name): Row => [{ [name]: "5" }, name, '"5"', "shape"]),
  [{ METRICS: "on", STORE: undefined, ...redis }, "METRICS", '"on"', "missing"],
  [{ RULES: undefined }, "RULES", "missing", "shape"],
  [{ RULES: [] }, "RULES", "[]", "shape"],
  [{ RULES: "[{]" }, "RULES", '"[{]"', "no-json", "position 2"],
  [{ RULES: { path: "/a" } }, "RULES", '{"path":"/a"}', "shape"],
  [{ RULES: ["/a"] }, "RULES[0]", '"/a"', "shape"],
  [{ RULES: [null] }, "RULES[0]", "null", "shape"],
  [{ RULES: [[rule]] }, "RULES[0]", expect.any(String), "shape"],
  [
    { RULES: [...FULL_OF_GAPS, { path: "/**/x/*", policies: [{ ...policy, name: "last" }] }] },
    "RULES[2].path",
    '"/**/x/*"',
    "too-many",
    "100 segments",
  ],
  [{ RULES: [rule, rule] }, "RULES[1].policies[0].name", '"p"', "duplicate", "rule [0]"],
  [{ PLANS: 5 }, "PLANS", "5", "shape"],
  [{ ...withRule({ plan }), PLANS: null }, "PLANS", "null", "shape"],
  [{ ...withRule({ plan }), PLANS: "gold" }, "PLANS", '"gold"', "no-json"],
  [{ PLANS: { gold: 5 } }, "PLANS.gold", "5", "shape"],
  [{ PLANS: { gold: { p: 5 } } }, "PLANS.gold.p", "5", "shape"],
  [{ PLANS: { gold: { q: {} } } }, "PLANS.gold.q", "{}", "unknown-name"],
  [{ PLANS: { gold: { p: { limit: 0 } } } }, "PLANS.gold.p.limit", "0", "range"],
  [{ PLANS: '{"gold":{"p":{"limt":7}}}' }, "PLANS.gold.p.limt", "7", "unknown-option", "`limit`"],
  [{ PLANS: { "a b": {} } }, "PLANS.a b", '"a b"', "shape"],
];

const rules = rowsOf("RULES[0]", withRule, [
  [{ onmissing: "reject" }, "unknown-option"],
  [{ plans: {} }, "unknown-option"],
  [{ mode: "soft" }, "unknown-option"],
  [{ advertise: false }, "unknown-option"],
  ...[undefined, "", "a", "/a//b", "/a/../b", "/a?b=c"].map((path): Change => [{ path }, "shape"]),
  [{ path: "POST *" }, "shape"],
  [{ path: "POST /a" }, "shape"],
  [{ path: "/a/*/b" }, "shape"],
  [{ path: "/a/**" }, "shape"],
  [{ path: "/**/a/**/b" }, "shape"],
  [{ path: "/a*b*" }, "shape"],
  [{ path: "/a/b**" }, "shape"],
  [{ path: "/:id{[0-9]+}" }, "shape"],
  [{ path: "/a:b" }, "shape"],
  [{ path: "/a%20b" }, "shape"],
  [{ method: "get" }, "shape"],
  [{ method: "HEAD" }, "shape"],
  [{ method: [] }, "shape"],
  [{ method: ["GET", 1] }, "shape"],
  [{ policies: undefined }, "shape"],
  [{ policies: [] }, "shape"],
  [{ policies: [5] }, "shape", "policies[0]", "5"],
  [{ policies: [policy, policy] }, "duplicate", "policies[1].name", '"p"'],
  [{ partition: ["cookie"] }, "missing", "partition[0]", '"cookie"'],
  [{ partition: () => "ada" }, "shape"],
  [{ onMissing: "pass" }, "choice"],
  [{ onMissing: "skip" }, "choice"],
  [{ onFailure: "no" }, "choice"],
  [{ retryJitter: "0.1" }, "range"],
  [{ cost: 6 }, "conflict"],
  [{ cost: "1" }, "shape"],
  [{ cost: () => 1 }, "shape"],
  [{ cost: { p: -1 } }, "shape", "cost.p", "-1"],
  [{ cost: { p: 6 } }, "conflict", "cost.p", "6"],
  [{ cost: { q: 1 } }, "unknown-name", "cost.q", "1"],
  [{ plan }, "missing"],
]);

const plans = rowsOf("RULES[0]", (changes) => ({ ...withRule(changes), PLANS: {} }), [
  [{ plan: "x" }, "shape"],
]);

const policies = rowsOf("RULES[0].policies[0]", withPolicy, [
  [{ limit: 0 }, "range"],
  [{ window: "1y" }, "range"],
  [{ algorithm: "gcra" }, "choice"],
  [{ algorithm: "fixed_window" }, "choice"],
  [{ name: 'a"b' }, "shape"],
  [{ onFailure: "no" }, "choice"],
  [{ advertise: "no" }, "shape"],
  [{ retryJitter: 2 }, "range"],
  [{ onMissing: "skip", partition: [plan] }, "conflict"],
  [{ mode: "off" }, "choice"],
  [{ counts: "all" }, "choice"],
  [{ counts: "denials" }, "missing"],
]);

const seconds = rowsOf("RULES[0].policies[1]", withSecond, [
  [{ by: "ip" }, "unsupported"],
  [{ partition: "ip" }, "shape"],
  [{ partition: ["*"] }, "shape", "partition[0]", '"*"'],
  [{ partition: ["path:id"] }, "unknown-name", "partition[0]", '"path:id"'],
  [{ onMissing: "drop" }, "choice"],
  [{ counts: "denials", mode: "shadow" }, "conflict"],
]);

const pathsOf = (variables: object) => faultsOf(variables).map(({ path }) => path);

describe("a fault of the variables", () => {
  test.for([...variables, ...rules, ...plans, ...policies, ...seconds])(
    "%j is said to be at %s",
    ([variables, path, value, code, says]) =>
      expectFault({ ...sound, ...variables }, path, value, code, says),
  );

  test("names the method and path of its rule, so that a reader need not count", () => {
    const wrong = [{ ...policy, limit: 0 }];
    const faults = faultsOf({
      ...sound,
      RULES: [
        rule,
        { method: "POST", path: "/api/login", policies: wrong, costs: 1 },
        { method: ["GET", "PUT"], path: "/b", policies: wrong },
        { path: "/c", policies: [policy] },
        { path: "POST /x", policies: wrong },
        { path: "/d", method: [], policies: [policy] },
      ],
    });
    expect(
      faults.map(({ path, remedy }) => [path, / \(In the rule for (.*)\.\)$/.exec(remedy)?.[1]]),
    ).toEqual([
      ["RULES[1].costs", "POST /api/login"],
      ["RULES[1].policies[0].limit", "POST /api/login"],
      ["RULES[2].policies[0].limit", "GET, PUT /b"],
      ["RULES[4].path", undefined],
      ["RULES[4].policies[0].limit", undefined],
      ["RULES[5].method", undefined],
      ["RULES[1].policies[0].name", "POST /api/login"],
      ["RULES[2].policies[0].name", "GET, PUT /b"],
      ["RULES[3].policies[0].name", "* /c"],
      ["RULES[4].policies[0].name", undefined],
      ["RULES[5].policies[0].name", undefined],
    ]);
    expect(new ConfigurationError(faults).message).toContain(
      "\n  RULES[1].policies[0].limit: 0: Give a whole number from 1 to 9007199254740991. (In the rule for POST /api/login.)\n",
    );
  });

  test.each([
    [{ CORS: { origin: "*", maxage: 5 } }, "Did you mean `maxAge`?"],
    [withRule({ onmissing: "reject" }), "Did you mean `onMissing`?"],
    [withRule({ plans: {} }), "Did you mean `plan`?"],
    [withPolicy({ algorithm: "fixed_window" }), 'Did you mean "fixed-window"?'],
  ])("%j hints at the word that is meant", (variables, hint) => {
    const [fault] = faultsOf({ ...sound, ...variables });
    expect(fault!.remedy.startsWith(hint)).toBe(true);
  });

  test.each(["gcra", "token-buckets"])(
    "does not hide the others of a policy whose algorithm is unknown: %s",
    (algorithm) => {
      const wrong = { algorithm, limit: 0, refill: 0, per: "1", onFailure: "x" };
      const paths = pathsOf({ ...sound, ...withRule({ policies: [wrong] }) });
      expect(paths.sort()).toEqual(
        Object.keys(wrong)
          .map((name) => `RULES[0].policies[0].${name}`)
          .sort(),
      );
    },
  );

  test("is said beside the variable that is missing for it, and together with all others, once each", () => {
    expect(
      pathsOf({ ...sound, ORIGIN: undefined, RULES: undefined, ORGIN: "x", RULE: [] }),
    ).toEqual(["ORGIN", "RULE", "ORIGIN", "RULES"]);
    expect(
      pathsOf({
        ORIGIN: "x",
        PREFIX: "",
        TIMEOUT: "soon",
        ON_FAILURE: "x",
        CLIENT_IP: "x",
        UPSTASH_REDIS_REST_URL: "redis://localhost",
        RULES: [
          { path: "x", policies: [{ ...policy, limit: 0, window: 1 }] },
          "y",
          { path: "/a", policies: [{ ...policy, limit: -1 }], cost: -1 },
        ],
      }).join(" "),
    ).toBe(
      "ORIGIN PREFIX TIMEOUT ON_FAILURE CLIENT_IP RULES[0].path RULES[0].policies[0].limit RULES[0].policies[0].window " +
        "RULES[1] RULES[2].cost RULES[2].policies[0].limit RULES[2].policies[0].name UPSTASH_REDIS_REST_URL UPSTASH_REDIS_REST_TOKEN",
    );
  });

  test("of PLANS does not wait for those of other variables", () => {
    const given = { ...sound, ...withRule({ plan }) };
    const paths = pathsOf({ ...given, ORIGIN: "x", PLANS: { gold: { q: {} } } });
    expect(paths).toEqual(["ORIGIN", "PLANS.gold.q"]);
    // Where the text is no JSON, the rules that name a plan are not at fault, too.
    expect(pathsOf({ ...given, PLANS: "{" })).toEqual(["PLANS"]);
  });

  test("shows no secret", () => {
    const faults = faultsOf({
      ...sound,
      ...redis,
      STORE: "redis",
      ORIGIN: "https://user:hunter2@origin.example",
      UPSTASH_REDIS_REST_TOKEN: "hunter 2",
    });
    expect(faults.map(({ path }) => path)).toEqual(["ORIGIN", "UPSTASH_REDIS_REST_TOKEN"]);
    expect(JSON.stringify(faults)).not.toMatch(/hunter/);
  });
});

describe("variables without fault", () => {
  afterEach(() => void vi.unstubAllGlobals());

  const byKey = { CLIENT_IP: undefined, ...withRule({ partition: ["header:x-api-key"] }) };
  const named = (path: string, name: string) => ({ path, policies: [{ ...policy, name }] });

  test.each<[string, object]>([
    ["as they are", {}],
    [
      "among those of others, which look like ours",
      {
        ...byKey,
        CLIENT_ID: "x",
        ROLES: "admin",
        ORIGINS: "https://a.example",
        STORES: "a",
        STORAGE: "s3",
        TIMEOUTS: "3",
        CORES: "4",
        Origin: "x",
        PATH: "/bin",
        KV_URL: "redis://x",
        KV_REST_API_READ_ONLY_TOKEN: "x",
        NODE_ENV: "production",
      },
    ],
    [
      "as many segments between gaps as there may be",
      { RULES: [...FULL_OF_GAPS, named("/**/x/y", "closed"), named("/x/y/**/*", "empty")] },
    ],
    ["rules as JSON", { RULES: JSON.stringify(sound.RULES) }],
    ["a number of hops", { CLIENT_IP: { trustedHops: 2 } }],
    ["a number of hops as JSON", { CLIENT_IP: '{"trustedHops":2}' }],
    ["no word on the address where no rule asks", byKey],
    [
      "everything",
      {
        ORIGIN: "http://[::1]:8080/base/",
        STORE: "redis",
        ...redis,
        PREFIX: "app:1",
        TIMEOUT: "1m",
        ON_FAILURE: "closed",
        AMBIGUOUS_PATHS: "pass",
        CORS: {
          origin: ["https://a.example", "http://localhost:5173", "capacitor://localhost"],
          allowMethods: ["GET", "POST"],
          allowHeaders: ["X-Api-Key"],
          exposeHeaders: [],
          maxAge: 0,
          credentials: true,
        },
        CLIENT_IP: "vercel",
        RULES: [
          {
            method: ["GET", "PURGE"],
            path: "/Café/:user_id/*",
            partition: ["header:X-Api-Key", "ip"],
            onMissing: "reject",
            onFailure: { local: { share: 0.1 } },
            retryJitter: 0.1,
            cost: 0,
            policies: [{ ...policy, advertise: false, onFailure: "local", retryJitter: 0 }],
          },
          { method: "*", ...named("/", "root") },
          named("/**/a/b.*", "deep"),
          named("/*", "rest"),
        ],
      },
    ],
  ])("%s: a gateway", (_what, variables) => {
    expect(faultsOf({ ...sound, ...variables })).toEqual([]);
  });

  test("a zone, where there are zones", () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    expect(faultsOf({ ...sound, ORIGIN: "zone", CLIENT_IP: undefined })).toEqual([]);
  });
  test.each([
    [{}, undefined],
    [{ ADMIN_TOKEN }, 10_000],
    [{ READ_TOKEN }, 10_000],
    [{ ADMIN_TOKEN, READ_TOKEN }, 10_000],
    [{ LIVE_REFRESH: "30s" }, 30_000],
    [{ LIVE_REFRESH: "1m", ADMIN_TOKEN }, 60_000],
    [{ LIVE_REFRESH: "off" }, undefined],
    [{ LIVE_REFRESH: "off", ADMIN_TOKEN }, undefined],
    [{ STORE: "memory", LIVE_REFRESH: "30s", ADMIN_TOKEN }, undefined],
  ])("%j reads live rules every %s ms", (variables, refreshMs) => {
    const given = { ...sound, STORE: undefined, ...redis, ...variables };
    expect(readConfig(given, {}).liveRefreshMs).toBe(refreshMs);
  });
});
