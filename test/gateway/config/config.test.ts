import { afterEach, describe, expect, test, vi } from "vitest";

import { readConfig } from "../../../src/gateway/config/config.ts";
import { ConfigurationError } from "../../../src/options/errors.ts";
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

const COST = /^Give a whole number of units from 0, or a table with one for each of some policies /;
const PLANS =
  /^Give plans by their names, .*: \{ gold = \{ rides = \{ limit = 200 \} \} \} \(where variables are text, \{"gold":/;
const plan = "header:x";
const SHARE = /above 0, up to 1/;

type Row = readonly [variables: object, path: string, value: string, remedy: RegExp];

/** Wrong changes of a part of the rules. The first is at fault, or what `at` names in it, and is shown as it is. */
type Change = readonly [changes: object, remedy: RegExp, at?: string, shown?: string];

function shown(value: unknown): string {
  if (value === undefined) return "missing";
  return typeof value === "function" ? "a function" : JSON.stringify(value);
}

const rowsOf = (
  place: string,
  put: (changes: object) => object,
  changed: readonly Change[],
): Row[] =>
  changed.map(([changes, remedy, at, value]) => {
    const [name, given] = Object.entries(changes)[0]!;
    return [put(changes), `${place}.${at ?? name}`, value ?? shown(given), remedy];
  });

const variables: readonly Row[] = [
  [{ ORIGIN: undefined }, "ORIGIN", "missing", /^Give the origin's address/],
  [{ ORIGIN: "origin.example" }, "ORIGIN", '"origin.example"', /such as "https:/],
  [{ ORIGIN: "ftp://x" }, "ORIGIN", '"ftp://x"', /such as "https:/],
  [{ ORIGIN: "https://x?y" }, "ORIGIN", '"https://x?y"', /without credentials or query/],
  [{ ORIGIN: "https://x/?key=s3cret" }, "ORIGIN", '"https://x/?key=(hidden)"', /or query/],
  [{ ORIGIN: "https://a:b/c@d:e@f@x" }, "ORIGIN", '"https://(hidden)@x"', /or query/],
  [{ ORIGIN: "https://x:99999" }, "ORIGIN", '"https://x:99999"', /such as "https:/],
  [{ ORIGIN: "zone" }, "ORIGIN", '"zone"', /Cloudflare's/],
  [{ STORE: "disk", ...redis }, "STORE", '"disk"', /"redis", "durable-object" or "memory"/],
  [{ STORE: "durable-object" }, "STORE", '"durable-object"', /tidegate\/durable-object/],
  [{ PREFIX: "a{b}" }, "PREFIX", '"a{b}"', /1 to 64 ASCII letters/],
  [{ TIMEOUT: "2m" }, "TIMEOUT", '"2m"', /"1ms" to "1m"/],
  [{ TIMEOUT: 250 }, "TIMEOUT", "250", /"1ms" to "1m"/],
  [{ ON_FAILURE: "shut" }, "ON_FAILURE", '"shut"', /"open", "closed" or "local"/],
  [{ ON_FAILURE: '{"local":{"share":0}}' }, "ON_FAILURE.local.share", "0", SHARE],
  [{ ON_FAILURE: { local: { share: 2 } } }, "ON_FAILURE.local.share", "2", SHARE],
  [
    { ON_FAILURE: '{"local":0.1}' },
    "ON_FAILURE",
    '{"local":0.1}',
    /or \{ local = \{ share = 0\.1 \} \} \(where variables are text, \{"local":\{"share":0\.1\}\}\)/,
  ],
  [{ SHARED_DENIALS: "all" }, "SHARED_DENIALS", '"all"', /^Use "colo"/],
  [{ SHARED_DENIALS: "colo" }, "SHARED_DENIALS", '"colo"', /^Leave it out, except on Cloudflare/],
  [{ AMBIGUOUS_PATHS: "allow" }, "AMBIGUOUS_PATHS", '"allow"', /^Use "refuse", or "pass"/],
  [{ AMBIGUOUS_PATHS: "" }, "AMBIGUOUS_PATHS", '""', /^Use "refuse", or "pass"/],
  [{ CORS: "https://a.example" }, "CORS", '"https://a.example"', /an origin.*It is no JSON/],
  [{ CORS: '"*"' }, "CORS", '"*"', /^Give a table of origin and, if need be/],
  [{ CORS: ["*"] }, "CORS", '["*"]', /^Give a table of origin/],
  [{ CORS: {} }, "CORS.origin", "missing", /^Give origins as browsers send them/],
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
    return [
      { CORS: { origin: list } },
      "CORS.origin[1]",
      JSON.stringify(origin),
      /slash at the end/,
    ];
  }),
  [{ CORS: '{"origin":"a"}' }, "CORS.origin", '"a"', /^Give origins as browsers/],
  [{ CORS: { origin: [] } }, "CORS.origin", "[]", /^Give origins as browsers/],
  [{ CORS: { origin: ["*"] } }, "CORS.origin[0]", '"*"', /"\*" alone/],
  ...rowsOf("CORS", (changes) => ({ CORS: { origin: "*", ...changes } }), [
    [{ credentials: true }, /^Name the origins/],
    [{ credentials: "yes" }, /^Use true/],
    [{ allowMethods: "GET" }, /list of methods/],
    [{ allowMethods: ["get"] }, /list of methods/, "allowMethods[0]", '"get"'],
    [{ allowHeaders: ["x", "a b"] }, /names of header fields/, "allowHeaders[1]", '"a b"'],
    [{ exposeHeaders: [1] }, /names of header fields/, "exposeHeaders[0]", "1"],
    [{ maxAge: "10m" }, /^Give whole seconds from 0 to 86400/],
    [{ maxAge: -1 }, /^Give whole seconds/],
    [{ maxage: 5 }, /^Did you mean `maxAge`/],
  ]),
  ...rowsOf(
    "CORS",
    (changes) => ({ CORS: { origin: "https://a.example", credentials: true, ...changes } }),
    [[{ allowHeaders: ["*"] }, /^Name the origins/, "credentials", "true"]],
  ),
  [{ CLIENT_IP: "nginx" }, "CLIENT_IP", '"nginx"', /"cloudflare", "vercel"/],
  [{ CLIENT_IP: undefined }, "CLIENT_IP", "missing", /Say who is trusted/],
  [{ CLIENT_IP: { trustedHops: 0 } }, "CLIENT_IP", '{"trustedHops":0}', /up to 32 hops/],
  [{ CLIENT_IP: '{"trustedHops":0}' }, "CLIENT_IP", '{"trustedHops":0}', /up to 32 hops/],
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
    new RegExp(`^Did you mean ${meant}\\? Rename it\\.$`),
  ]),
  ...Object.entries({
    ORIGIN_TIMEOUT: /"10ms" to "1h".* "off" waits/,
    ON_ERROR: /^Use "refuse", or "pass"/,
    REDIS_DIALECT: /^Use "upstash" or "redis"/,
    LIVE_REFRESH: /"1s" to "10m".* "off" never/,
    METRICS: /^Use "on" or "off"/,
    METRICS_FLUSH: /"10s" to "10m"/,
    METRICS_IDENTITIES: /^Use "hashed", or "plain"/,
    DENIAL_LOG: /^Use "on" or "off"/,
  }).map(([name, remedy]): Row => [{ [name]: "5" }, name, '"5"', remedy]),
  [{ METRICS: "on", STORE: undefined, ...redis }, "METRICS", '"on"', /metrics of tidegate\/admin/],
  [{ RULES: undefined }, "RULES", "missing", /one rule.*\[\[vars\.RULES\]\], not \[\[RULES\]\]/],
  [{ RULES: [] }, "RULES", "[]", /list of at least one rule/],
  [{ RULES: "[{]" }, "RULES", '"[{]"', /as JSON.*position 2/],
  [{ RULES: { path: "/a" } }, "RULES", '{"path":"/a"}', /list of at least one rule/],
  [{ RULES: ["/a"] }, "RULES[0]", '"/a"', /^A rule is a table/],
  [{ RULES: [null] }, "RULES[0]", "null", /^A rule is a table/],
  [{ RULES: [[rule]] }, "RULES[0]", expect.any(String), /^A rule is a table/],
  [
    { RULES: [...FULL_OF_GAPS, { path: "/**/x/*", policies: [{ ...policy, name: "last" }] }] },
    "RULES[2].path",
    '"/**/x/*"',
    /^Leave out the "\*\*" or the last "\*": .* may have 100 segments, .*\(In the rule for/,
  ],
  [{ RULES: [rule, rule] }, "RULES[1].policies[0].name", '"p"', /^A policy of RULES\[0\] has/],
  [{ PLANS: 5 }, "PLANS", "5", PLANS],
  [{ PLANS: "[]" }, "PLANS", "[]", PLANS],
  [{ ...withRule({ plan }), PLANS: null }, "PLANS", "null", PLANS],
  [
    { ...withRule({ plan }), PLANS: "gold" },
    "PLANS",
    '"gold"',
    /where .* text, as JSON\. It is no JSON/,
  ],
  [{ PLANS: { gold: 5 } }, "PLANS.gold", "5", /that differ: \{ rides = \{ limit = 200 \} \}\.$/],
  [{ PLANS: { gold: { p: 5 } } }, "PLANS.gold.p", "5", /^Give those .*: limit, window, aligned\.$/],
  [{ PLANS: { gold: { q: {} } } }, "PLANS.gold.q", "{}", /Use the name of a policy: p\.$/],
  [{ PLANS: { gold: { p: { limit: 0 } } } }, "PLANS.gold.p.limit", "0", /^Give a whole number/],
  [{ PLANS: '{"gold":{"p":{"limt":7}}}' }, "PLANS.gold.p.limt", "7", /^Did you mean `limit`\?/],
  [{ PLANS: { "a b": {} } }, "PLANS.a b", '"a b"', /^Use 1 to 64 ASCII letters/],
];

const rules = rowsOf("RULES[0]", withRule, [
  [{ limits: 5 }, /and nothing else/],
  [{ onmissing: "reject" }, /^Did you mean `onMissing`/],
  [{ plans: {} }, /^Did you mean `plan`\?/],
  [{ policy: [] }, /^A rule is a table of/],
  [{ mode: "soft" }, /^A rule is a table of/],
  [{ advertise: false }, /and nothing else/],
  ...[undefined, "", "a", "/a//b", "/a/../b", "/a?b=c"].map((path): Change => [
    { path },
    /Begin with "\/"/,
  ]),
  [{ path: "POST *" }, /"\/\*" covers every path/],
  [{ path: "POST /a" }, /in the field method/],
  [{ path: "/a/*/b" }, /a final "\*"/],
  [{ path: "/a/**" }, /a final "\*" for the rest/],
  [{ path: "/**/a/**/b" }, /number of segments/],
  [{ path: "/a*b*" }, /a "\*" within a segment/],
  [{ path: "/a/b**" }, /a "\*" within a segment/],
  [{ path: "/:id{[0-9]+}" }, /":name"/],
  [{ path: "/a:b" }, /":name"/],
  [{ path: "/a%20b" }, /not as escapes/],
  [{ method: "get" }, /in capitals/],
  [{ method: "HEAD" }, /HEAD counts as GET/],
  [{ method: [] }, /in capitals/],
  [{ method: ["GET", 1] }, /in capitals/],
  [{ policies: undefined }, /1 to 16 policies/],
  [{ policies: [] }, /1 to 16 policies, such as policies = \[\{ algorithm = "token-bucket", /],
  [
    { policies: [5] },
    /^Give a policy, such as \{ algorithm = "token-bucket", /,
    "policies[0]",
    "5",
  ],
  [{ policies: [policy, policy] }, /share one count/, "policies[1].name", '"p"'],
  [
    { partition: ["cookie"] },
    /^Say which one, such as "cookie:session"/,
    "partition[0]",
    '"cookie"',
  ],
  [{ partition: () => "ada" }, /^Give a list of s/],
  [{ onMissing: "pass" }, /"share" or "reject"/],
  [{ onMissing: "skip" }, /^Use "share" or "reject"\./],
  [{ onFailure: "no" }, /"open", "closed"/],
  [{ onFailure: { local: { share: -1 } } }, SHARE, "onFailure.local.share", "-1"],
  [{ retryJitter: "0.1" }, /from 0 to 1/],
  [{ retryJitter: Number.NaN }, /from 0 to 1/, "retryJitter", "NaN"],
  [{ cost: 6 }, /above the limit of a policy/],
  [{ cost: "1" }, /^Give a whole number of units from 0, or a table with one for each /],
  [{ cost: [] }, COST],
  [{ cost: () => 1 }, COST],
  [{ cost: { p: -1 } }, COST, "cost.p", "-1"],
  [{ cost: { p: "1" } }, COST, "cost.p", '"1"'],
  [{ cost: { p: null } }, COST, "cost.p", "null"],
  [{ cost: { p: 6 } }, /^It is above the limit of a policy, or of one of its s/, "cost.p", "6"],
  [{ cost: { q: 1 } }, /^Use the name of a policy of this list/, "cost.q", "1"],
  [{ plan }, /^Set PLANS, too: /],
]);

const plans = rowsOf("RULES[0]", (changes) => ({ ...withRule(changes), PLANS: {} }), [
  [{ plan: "x" }, /^Name a header that/],
  [{ plan: null }, /^Name a header that/],
  [{ plan: ["a"] }, /^Name a header that/],
]);

const policies = rowsOf("RULES[0].policies[0]", withPolicy, [
  [{ limit: 0 }, /whole number from 1/],
  [{ window: "1y" }, /time with its unit/],
  [{ algorithm: "gcra" }, /Use one of/],
  [{ algorithm: "fixed_window" }, /^Did you mean "fixed-window"\?/],
  [{ algorithm: "" }, /Use one of/],
  [{ algorithm: undefined }, /Use one/],
  [{ name: 'a"b' }, /1 to 64 ASCII/],
  [{ onFailure: "no" }, /"open"/],
  [{ onFailure: { local: { share: Number.NaN } } }, /local = \{ share = 0\.1/],
  [{ onFailure: { local: { share: 0.1, of: 2 } } }, /local = \{ share = 0\.1/],
  [{ advertise: "no" }, /^Give true, or/],
  [{ retryJitter: 2 }, /from 0 to 1/],
  [
    { onMissing: "skip", partition: [plan] },
    /^Leave it out of one policy that is enforced: .* that lacks all/,
  ],
  [{ mode: "off" }, /^Use "enforce", "shadow"/],
  [{ counts: "all" }, /^Use "requests", "denials" or/],
  [{ counts: "denials" }, /^Add a policy that counts requests/],
]);

const seconds = rowsOf("RULES[0].policies[1]", withSecond, [
  [
    { by: "ip" },
    /^Give the policy a partition instead: a list of sources such as \["ip"\], or "\*"/,
  ],
  [{ partition: "ip" }, /^Give a list of s/],
  [{ partition: [] }, /^Give a list of so/],
  [{ partition: null }, /^Give a list of/],
  [{ partition: ["*"] }, /^Give "\*" al/, "partition[0]", '"*"'],
  [{ partition: ["path:id"] }, /^Add ":id" to the rule's path/, "partition[0]", '"path:id"'],
  [{ onMissing: "drop" }, /or "skip"\./],
  [{ counts: "denials", mode: "shadow" }, /^Leave out the mode/],
]);

const pathsOf = (variables: object) => faultsOf(variables).map(({ path }) => path);

describe("a fault of the variables", () => {
  test.each([...variables, ...rules, ...plans, ...policies, ...seconds])(
    "%j is said to be at %s",
    (variables, path, value, remedy) =>
      expectFault({ ...sound, ...variables }, path, value, remedy),
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

  test("does not speak of TypeScript to writers of TOML", () => {
    const faults = faultsOf({
      ...sound,
      CLIENT_IP: {},
      RULES: [
        { path: "/a", policies: [] },
        { path: "/b", policies: ["x"] },
        { path: "/c", policies: [{ limit: 1 }], partition: [], cost: "x", onFailure: "x" },
      ],
    });
    expect(faults).toHaveLength(7);
    for (const { remedy } of faults) expect(remedy).not.toMatch(/\w\(|\{ \w+: |function|builder/);
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

  test("speaks of the gateway's own ways out where the Redis is missing", () => {
    const faults = faultsOf({ ...sound, STORE: "redis" });
    const { remedy } = faults.find(({ path }) => path === "UPSTASH_REDIS_REST_URL")!;
    expect(remedy).toBe(
      'Set this variable (on Workers, bind it as a variable or secret), or set STORE = "memory" to try the gateway without a Redis.',
    );
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
