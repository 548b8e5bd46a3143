import { afterEach, describe, expect, test, vi } from "vitest";

import { ConfigurationError } from "../../../src/errors/errors.ts";
import { readConfig } from "../../../src/gateway/config/config.ts";
import { EVERY_GATEWAY_FEATURE } from "../../../src/gateway/every-feature.ts";
import { faultsOf } from "../faults.ts";

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

describe("a fault of the variables", () => {
  test.each<[variables: object, path: string, value: string, remedy: RegExp]>([
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
    [
      { ON_FAILURE: '{"local":{"share":0}}' },
      "ON_FAILURE.local.share",
      "0",
      /^Give a number above 0, up to 1/,
    ],
    [{ ON_FAILURE: { local: { share: 2 } } }, "ON_FAILURE.local.share", "2", /above 0, up to 1/],
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
    [{ CLIENT_IP: "nginx" }, "CLIENT_IP", '"nginx"', /"cloudflare", "vercel"/],
    [{ CLIENT_IP: undefined }, "CLIENT_IP", "missing", /Say who is trusted/],
    [{ CLIENT_IP: { trustedHops: 0 } }, "CLIENT_IP", '{"trustedHops":0}', /up to 32 hops/],
    [{ CLIENT_IP: '{"trustedHops":0}' }, "CLIENT_IP", '{"trustedHops":0}', /up to 32 hops/],
    [
      { RULES: undefined },
      "RULES",
      "missing",
      /list of at least one rule.*\[\[vars\.RULES\]\], not \[\[RULES\]\]/,
    ],
    [{ TIME_OUT: "1s" }, "TIME_OUT", '"(hidden)"', /^Did you mean TIMEOUT\?/],
    [{ timeout: "1s" }, "timeout", '"(hidden)"', /^Did you mean TIMEOUT\?/],
    [{ TIMOUT: "1s" }, "TIMOUT", '"(hidden)"', /^Did you mean TIMEOUT\?/],
    [{ ON_FALIURE: "open" }, "ON_FALIURE", '"(hidden)"', /^Did you mean ON_FAILURE\?/],
    [{ ONFAILURE: "open" }, "ONFAILURE", '"(hidden)"', /^Did you mean ON_FAILURE\?/],
    [{ "ON-FALIURE": "open" }, "ON-FALIURE", '"(hidden)"', /^Did you mean ON_FAILURE\?/],
    [{ PREFFIX: "a" }, "PREFFIX", '"(hidden)"', /^Did you mean PREFIX\?/],
    [{ SHARED_DENIAL: "colo" }, "SHARED_DENIAL", '"(hidden)"', /^Did you mean SHARED_DENIALS\?/],
    [{ RULES: [] }, "RULES", "[]", /list of at least one rule/],
    [{ RULES: "[{]" }, "RULES", '"[{]"', /as JSON.*position 2/],
    [{ RULES: { path: "/a" } }, "RULES", '{"path":"/a"}', /list of at least one rule/],
    [{ RULES: ["/a"] }, "RULES[0]", '"/a"', /^A rule is a table/],
    [{ RULES: [null] }, "RULES[0]", "null", /^A rule is a table/],
    [{ RULES: [[rule]] }, "RULES[0]", expect.any(String), /^A rule is a table/],
    [withRule({ limits: 5 }), "RULES[0].limits", "5", /and nothing else/],
    [
      withRule({ onmissing: "reject" }),
      "RULES[0].onmissing",
      '"reject"',
      /^Did you mean `onMissing`/,
    ],
    [withRule({ policy: [] }), "RULES[0].policy", "[]", /^A rule is a table of/],
    [withRule({ path: undefined }), "RULES[0].path", "missing", /Begin with "\/"/],
    [withRule({ path: "POST *" }), "RULES[0].path", '"POST *"', /"\/\*" covers every path/],
    [withRule({ path: "POST /a" }), "RULES[0].path", '"POST /a"', /in the field method/],
    [withRule({ path: "a" }), "RULES[0].path", '"a"', /Begin with "\/"/],
    [withRule({ path: "/a/*/b" }), "RULES[0].path", '"/a/*/b"', /a final "\*"/],
    [withRule({ path: "/a/**" }), "RULES[0].path", '"/a/**"', /a final "\*" for the rest/],
    [withRule({ path: "/**/a/**/b" }), "RULES[0].path", '"/**/a/**/b"', /number of segments/],
    [withRule({ path: "/a*b*" }), "RULES[0].path", '"/a*b*"', /a "\*" within a segment/],
    [withRule({ path: "/a/b**" }), "RULES[0].path", '"/a/b**"', /a "\*" within a segment/],
    [withRule({ path: "" }), "RULES[0].path", '""', /Begin with "\/"/],
    [withRule({ path: "/:id{[0-9]+}" }), "RULES[0].path", '"/:id{[0-9]+}"', /":name"/],
    [withRule({ path: "/a:b" }), "RULES[0].path", '"/a:b"', /":name"/],
    [withRule({ path: "/a%20b" }), "RULES[0].path", '"/a%20b"', /not as escapes/],
    [withRule({ path: "/a//b" }), "RULES[0].path", '"/a//b"', /Begin with "\/"/],
    [withRule({ path: "/a/../b" }), "RULES[0].path", '"/a/../b"', /Begin with "\/"/],
    [withRule({ path: "/a?b=c" }), "RULES[0].path", '"/a?b=c"', /Begin with "\/"/],
    [withRule({ method: "get" }), "RULES[0].method", '"get"', /in capitals/],
    [withRule({ method: "HEAD" }), "RULES[0].method", '"HEAD"', /HEAD counts as GET/],
    [withRule({ method: [] }), "RULES[0].method", "[]", /in capitals/],
    [withRule({ method: ["GET", 1] }), "RULES[0].method", '["GET",1]', /in capitals/],
    [withRule({ policies: undefined }), "RULES[0].policies", "missing", /1 to 16 policies/],
    [
      withRule({ policies: [] }),
      "RULES[0].policies",
      "[]",
      /1 to 16 policies, such as policies = \[\{ algorithm = "token-bucket", /,
    ],
    [
      withRule({ policies: [5] }),
      "RULES[0].policies[0]",
      "5",
      /^Give a policy, such as \{ algorithm = "token-bucket", /,
    ],
    [withPolicy({ limit: 0 }), "RULES[0].policies[0].limit", "0", /whole number from 1/],
    [withPolicy({ window: "1y" }), "RULES[0].policies[0].window", '"1y"', /time with its unit/],
    [withPolicy({ algorithm: "gcra" }), "RULES[0].policies[0].algorithm", '"gcra"', /Use one of/],
    [
      withPolicy({ algorithm: "fixed_window" }),
      "RULES[0].policies[0].algorithm",
      '"fixed_window"',
      /^Did you mean "fixed-window"\?/,
    ],
    [withPolicy({ algorithm: "" }), "RULES[0].policies[0].algorithm", '""', /Use one of/],
    [withPolicy({ algorithm: undefined }), "RULES[0].policies[0].algorithm", "missing", /Use one/],
    [withPolicy({ name: 'a"b' }), "RULES[0].policies[0].name", String.raw`"a\"b"`, /1 to 64 ASCII/],
    [withPolicy({ onFailure: "no" }), "RULES[0].policies[0].onFailure", '"no"', /"open"/],
    [withRule({ onFailure: "no" }), "RULES[0].onFailure", '"no"', /"open", "closed"/],
    [
      withRule({ partition: ["cookie"] }),
      "RULES[0].partition[0]",
      '"cookie"',
      /^Say which one, such as "cookie:session"/,
    ],
    [
      withRule({ onFailure: { local: { share: -1 } } }),
      "RULES[0].onFailure.local.share",
      "-1",
      /above 0, up to 1/,
    ],
    [
      withPolicy({ onFailure: { local: { share: Number.NaN } } }),
      "RULES[0].policies[0].onFailure",
      '{"local":{"share":null}}',
      /local = \{ share = 0\.1/,
    ],
    [
      withPolicy({ onFailure: { local: { share: 0.1, of: 2 } } }),
      "RULES[0].policies[0].onFailure",
      '{"local":{"share":0.1,"of":2}}',
      /local = \{ share = 0\.1/,
    ],
    [withPolicy({ advertise: "no" }), "RULES[0].policies[0].advertise", '"no"', /^Give true, or/],
    [withPolicy({ retryJitter: 2 }), "RULES[0].policies[0].retryJitter", "2", /from 0 to 1/],
    [withRule({ retryJitter: "0.1" }), "RULES[0].retryJitter", '"0.1"', /from 0 to 1/],
    [withRule({ retryJitter: Number.NaN }), "RULES[0].retryJitter", "NaN", /from 0 to 1/],
    [withRule({ advertise: false }), "RULES[0].advertise", "false", /and nothing else/],
    [withRule({ onMissing: "pass" }), "RULES[0].onMissing", '"pass"', /"share" or "reject"/],
    [withRule({ cost: 6 }), "RULES[0].cost", "6", /above the limit of a policy/],
    [
      withRule({ cost: "1" }),
      "RULES[0].cost",
      '"1"',
      /^Give a whole number of units from 0, or a table with one for each /,
    ],
    [
      withSecond({ by: "ip" }),
      "RULES[0].policies[1].by",
      '"ip"',
      /^Give the policy a partition instead: a list of sources such as \["ip"\], or "\*"/,
    ],
    [
      withSecond({ partition: "ip" }),
      "RULES[0].policies[1].partition",
      '"ip"',
      /^Give a list of s/,
    ],
    [withSecond({ partition: [] }), "RULES[0].policies[1].partition", "[]", /^Give a list of so/],
    [withSecond({ partition: null }), "RULES[0].policies[1].partition", "null", /^Give a list of/],
    [withSecond({ partition: ["*"] }), "RULES[0].policies[1].partition[0]", '"*"', /^Give "\*" al/],
    [
      withSecond({ partition: ["path:id"] }),
      "RULES[0].policies[1].partition[0]",
      '"path:id"',
      /^Add ":id" to the rule's path/,
    ],
    [withRule({ partition: () => "ada" }), "RULES[0].partition", "a function", /^Give a list of s/],
    [withSecond({ onMissing: "drop" }), "RULES[0].policies[1].onMissing", '"drop"', /or "skip"\./],
    [withRule({ onMissing: "skip" }), "RULES[0].onMissing", '"skip"', /^Use "share" or "reject"\./],
    [
      withPolicy({ partition: ["header:x"], onMissing: "skip" }),
      "RULES[0].policies[0].onMissing",
      '"skip"',
      /^Leave it out of one policy that is enforced: nothing would limit a request that lacks all/,
    ],
    [
      withRule({ cost: { q: 1 } }),
      "RULES[0].cost.q",
      "1",
      /^Use the name of a policy of this list/,
    ],
    [
      withRule({ cost: { p: 6 } }),
      "RULES[0].cost.p",
      "6",
      /^It is above the limit of a policy, or of one of its shards/,
    ],
    [withRule({ cost: { p: -1 } }), "RULES[0].cost.p", "-1", COST],
    [withRule({ cost: { p: "1" } }), "RULES[0].cost.p", '"1"', COST],
    [withRule({ cost: { p: null } }), "RULES[0].cost.p", "null", COST],
    [withRule({ cost: [] }), "RULES[0].cost", "[]", COST],
    [withRule({ cost: () => 1 }), "RULES[0].cost", "a function", COST],
    [withRule({ plan: "header:x" }), "RULES[0].plan", '"header:x"', /^Set PLANS, too: /],
    [{ ...withRule({ plan: "x" }), PLANS: {} }, "RULES[0].plan", '"x"', /^Name a header that/],
    [{ ...withRule({ plan: null }), PLANS: {} }, "RULES[0].plan", "null", /^Name a header that/],
    [{ ...withRule({ plan: ["a"] }), PLANS: {} }, "RULES[0].plan", '["a"]', /^Name a header that/],
    [withRule({ plans: {} }), "RULES[0].plans", "{}", /^Did you mean `plan`\?/],
    [
      { ...withRule({ plan: "header:x" }), PLANS: "gold" },
      "PLANS",
      '"gold"',
      /^Give a table of plans by name; where variables are text, as JSON\. It is no JSON/,
    ],
    [{ PLANS: 5 }, "PLANS", "5", PLANS],
    [{ PLANS: "[]" }, "PLANS", "[]", PLANS],
    [{ ...withRule({ plan: "header:x" }), PLANS: null }, "PLANS", "null", PLANS],
    [
      { PLANS: { gold: 5 } },
      "PLANS.gold",
      "5",
      /the numbers that differ: \{ rides = \{ limit = 200 \} \}\.$/,
    ],
    [
      { PLANS: { gold: { p: 5 } } },
      "PLANS.gold.p",
      "5",
      /^Give those .*: limit, window, aligned\.$/,
    ],
    [{ PLANS: { gold: { q: {} } } }, "PLANS.gold.q", "{}", /Use the name of a policy: p\.$/],
    [{ PLANS: { gold: { p: { limit: 0 } } } }, "PLANS.gold.p.limit", "0", /^Give a whole number/],
    [{ PLANS: '{"gold":{"p":{"limt":7}}}' }, "PLANS.gold.p.limt", "7", /^Did you mean `limit`\?/],
    [{ PLANS: { "a b": {} } }, "PLANS.a b", '"a b"', /^Use 1 to 64 ASCII letters/],
    [{ PLAN: "{}" }, "PLAN", '"(hidden)"', /^Did you mean PLANS\? Rename it\.$/],
    [withPolicy({ mode: "off" }), "RULES[0].policies[0].mode", '"off"', /^Use "enforce", "shadow"/],
    [withRule({ mode: "soft" }), "RULES[0].mode", '"soft"', /^A rule is a table of/],
    [
      withPolicy({ counts: "all" }),
      "RULES[0].policies[0].counts",
      '"all"',
      /^Use "requests", "denials" or/,
    ],
    [
      withPolicy({ counts: "denials" }),
      "RULES[0].policies[0].counts",
      '"denials"',
      /^Add a policy that counts requests/,
    ],
    [
      withSecond({ counts: "denials", mode: "shadow" }),
      "RULES[0].policies[1].counts",
      '"denials"',
      /^Leave out the mode/,
    ],
    [
      { RULES: [...FULL_OF_GAPS, { path: "/**/x/*", policies: [{ ...policy, name: "last" }] }] },
      "RULES[2].path",
      '"/**/x/*"',
      /^Leave out the "\*\*" or the last "\*": .* may have 100 segments, .*\(In the rule for/,
    ],
    [{ RULES: [rule, rule] }, "RULES[1].policies[0].name", '"p"', /^A policy of RULES\[0\] has/],
    [
      withRule({ policies: [policy, policy] }),
      "RULES[0].policies[1].name",
      '"p"',
      /share one count/,
    ],
    [{ ADMIN_TOKEN: ADMIN_TOKEN.slice(1) }, "ADMIN_TOKEN", '"(hidden)"', /^Give 20 to 256 /],
    [{ READ_TOKEN: "nine of ABCDEFGHIJKL" }, "READ_TOKEN", '"(hidden)"', /^Give 20 to 256 /],
    [{ READ_TOKEN: "change-me-fBv4mJ8xQ2" }, "READ_TOKEN", '"(hidden)"', /^It looks like an exa/],
    [{ READ_TOKEN: "fBv4mJ8xQ".repeat(3) }, "READ_TOKEN", '"(hidden)"', /^It looks like an exa/],
    [{ ADMIN_TOKEN, READ_TOKEN: ADMIN_TOKEN }, "READ_TOKEN", '"(hidden)"', /./],
  ])("%j is said to be at %s", (variables, path, value, remedy) => {
    expect(faultsOf({ ...sound, ...variables })).toEqual([
      { path, value, code: expect.any(String), remedy: expect.stringMatching(remedy) },
    ]);
  });

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
    for (const { remedy } of faults) {
      expect(remedy).not.toMatch(/\w\(|\{ \w+: |function|builder/);
    }
  });

  test("does not hide the others of a policy whose algorithm is unknown", () => {
    for (const [algorithm, more] of [
      ["gcra", ["limit", "refill", "per", "onFailure"]],
      ["token-buckets", ["limit", "refill", "per", "onFailure"]],
    ] as const) {
      const wrong = { algorithm, limit: 0, refill: 0, per: "1", onFailure: "x" };
      const paths = faultsOf({ ...sound, ...withRule({ policies: [wrong] }) }).map(
        ({ path }) => path,
      );
      expect(paths.sort()).toEqual(
        ["algorithm", ...more].map((name) => `RULES[0].policies[0].${name}`).sort(),
      );
    }
  });

  test("is said beside the variable that is missing for it", () => {
    const { ORIGIN, RULES, ...rest } = sound;
    const faults = faultsOf({
      ...rest,
      ORGIN: "https://a:hunter2@b",
      RULE: RULES,
      ORIGIN: undefined,
    });
    expect(ORIGIN).toBeDefined();
    expect(faults.map(({ path }) => path)).toEqual(["ORGIN", "RULE", "ORIGIN", "RULES"]);
    expect(JSON.stringify(faults)).not.toContain("hunter2");
  });

  test("is said together with all others, once each", () => {
    const faults = faultsOf({
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
    });
    expect(faults.map(({ path }) => path)).toEqual([
      "ORIGIN",
      "PREFIX",
      "TIMEOUT",
      "ON_FAILURE",
      "CLIENT_IP",
      "RULES[0].path",
      "RULES[0].policies[0].limit",
      "RULES[0].policies[0].window",
      "RULES[1]",
      "RULES[2].cost",
      "RULES[2].policies[0].limit",
      "RULES[2].policies[0].name",
      "UPSTASH_REDIS_REST_URL",
      "UPSTASH_REDIS_REST_TOKEN",
    ]);
  });

  test("of PLANS does not wait for those of other variables", () => {
    const faults = faultsOf({
      ...sound,
      ORIGIN: "x",
      PLANS: { gold: { q: {} } },
      ...withRule({ plan: "header:x" }),
    });
    expect(faults.map(({ path }) => path)).toEqual(["ORIGIN", "PLANS.gold.q"]);
    // Where the text is no JSON, the rules that name a plan are not at fault, too.
    const rules = withRule({ plan: "header:x" });
    const paths = faultsOf({ ...sound, ...rules, PLANS: "{" }).map(({ path }) => path);
    expect(paths).toEqual(["PLANS"]);
  });

  test("speaks of the gateway's own ways out where the Redis is missing", () => {
    const { UPSTASH_REDIS_REST_URL: _url, ...without } = sound as Record<string, unknown>;
    const faults = faultsOf({ ...without, STORE: "redis" });
    const { remedy } = faults.find(({ path }) => path === "UPSTASH_REDIS_REST_URL")!;
    expect(remedy).toBe(
      'Set this variable (on Workers, bind it as a variable or secret), or set STORE = "memory" to try the gateway without a Redis.',
    );
  });

  test("shows no secret", () => {
    const faults = faultsOf({
      ...sound,
      STORE: "redis",
      ORIGIN: "https://user:hunter2@origin.example",
      UPSTASH_REDIS_REST_URL: "https://redis.example",
      UPSTASH_REDIS_REST_TOKEN: "hunter 2",
    });
    expect(faults.map(({ path }) => path)).toEqual(["ORIGIN", "UPSTASH_REDIS_REST_TOKEN"]);
    expect(JSON.stringify(faults)).not.toMatch(/hunter/);
  });
});

describe("variables without fault", () => {
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test.each([
    ["as they are", sound],
    ["with a token of ten different characters", { ...sound, READ_TOKEN: "fBv4mJ8xQ2".repeat(2) }],
    [
      "among those of others, which look like ours",
      {
        ...sound,
        CLIENT_IP: undefined,
        ...withRule({ partition: ["header:x-api-key"] }),
        CLIENT_ID: "x",
        ROLES: "admin",
        ORIGINS: "https://a.example",
        STORES: "a",
        STORAGE: "s3",
        TIMEOUTS: "3",
        Origin: "x",
        PATH: "/bin",
        KV_URL: "redis://x",
        KV_REST_API_READ_ONLY_TOKEN: "x",
        NODE_ENV: "production",
      },
    ],
    [
      "as many segments between gaps as there may be",
      {
        ...sound,
        RULES: [
          ...FULL_OF_GAPS,
          { path: "/**/x/y", policies: [{ ...policy, name: "closed" }] },
          { path: "/x/y/**/*", policies: [{ ...policy, name: "empty" }] },
        ],
      },
    ],
    ["rules as JSON", { ...sound, RULES: JSON.stringify(sound.RULES) }],
    ["a number of hops", { ...sound, CLIENT_IP: { trustedHops: 2 } }],
    ["a number of hops as JSON", { ...sound, CLIENT_IP: '{"trustedHops":2}' }],
    [
      "no word on the address where no rule asks",
      {
        ...sound,
        CLIENT_IP: undefined,
        ...withRule({ partition: ["header:x-api-key"] }),
      },
    ],
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
          { method: "*", path: "/", policies: [{ ...policy, name: "root" }] },
          { path: "/**/a/b.*", policies: [{ ...policy, name: "deep" }] },
          { path: "/*", policies: [{ ...policy, name: "rest" }] },
        ],
      },
    ],
  ])("%s: a gateway", (_what, variables) => {
    expect(faultsOf(variables)).toEqual([]);
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
    expect(readConfig(given, {}, EVERY_GATEWAY_FEATURE).liveRefreshMs).toBe(refreshMs);
  });
});
