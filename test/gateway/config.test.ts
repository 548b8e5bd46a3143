import { afterEach, describe, expect, it, vi } from "vitest";

import { ConfigurationError, type Fault } from "../../src/errors.ts";
import { createGateway } from "../../src/worker/gateway.ts";

const policy = { algorithm: "fixed-window", name: "p", limit: 5, window: "1m" };
const rule = { path: "/a", policies: [policy] };
const sound = {
  ORIGIN: "https://origin.example",
  STORE: "memory",
  CLIENT_IP: "cloudflare",
  RULES: [rule],
};

function faultsOf(variables: object): readonly Fault[] {
  try {
    createGateway(variables as Record<string, unknown>);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return (error as ConfigurationError).faults;
  }
  return [];
}

const redis = {
  UPSTASH_REDIS_REST_URL: "https://redis.example",
  UPSTASH_REDIS_REST_TOKEN: "secret",
};
const withRule = (changes: object) => ({ RULES: [{ ...rule, ...changes }] });
const withPolicy = (changes: object) => withRule({ policies: [{ ...policy, ...changes }] });

describe("a fault of the variables", () => {
  it.each<[variables: object, path: string, value: string, remedy: RegExp]>([
    [{ ORIGIN: undefined }, "ORIGIN", "missing", /^Give the origin's address/],
    [{ ORIGIN: "origin.example" }, "ORIGIN", '"origin.example"', /such as "https:/],
    [{ ORIGIN: "ftp://x" }, "ORIGIN", '"ftp://x"', /such as "https:/],
    [{ ORIGIN: "https://x?y" }, "ORIGIN", '"https://x?y"', /without credentials or query/],
    [{ ORIGIN: "https://x:99999" }, "ORIGIN", '"https://x:99999"', /such as "https:/],
    [{ ORIGIN: "zone" }, "ORIGIN", '"zone"', /Cloudflare's/],
    [{ STORE: "disk", ...redis }, "STORE", '"disk"', /"redis" or "memory"/],
    [{ PREFIX: "a{b}" }, "PREFIX", '"a{b}"', /1 to 64 ASCII letters/],
    [{ TIMEOUT: "2m" }, "TIMEOUT", '"2m"', /"1ms" to "1m"/],
    [{ TIMEOUT: 250 }, "TIMEOUT", "250", /"1ms" to "1m"/],
    [{ ON_FAILURE: "shut" }, "ON_FAILURE", '"shut"', /"open", "closed" or "local"/],
    [{ SHARED_DENIALS: "all" }, "SHARED_DENIALS", '"all"', /^Use "colo"/],
    [{ SHARED_DENIALS: "colo" }, "SHARED_DENIALS", '"colo"', /^Leave it out, except on Cloudflare/],
    [{ AMBIGUOUS_PATHS: "allow" }, "AMBIGUOUS_PATHS", '"allow"', /^Use "refuse", or "pass"/],
    [{ AMBIGUOUS_PATHS: "" }, "AMBIGUOUS_PATHS", '""', /^Use "refuse", or "pass"/],
    [{ CLIENT_IP: "nginx" }, "CLIENT_IP", '"nginx"', /"cloudflare", "vercel"/],
    [{ CLIENT_IP: undefined }, "CLIENT_IP", "missing", /Say who is trusted/],
    [{ CLIENT_IP: { trustedHops: 0 } }, "CLIENT_IP", '{"trustedHops":0}', /up to 32 hops/],
    [{ CLIENT_IP: '{"trustedHops":0}' }, "CLIENT_IP", '{"trustedHops":0}', /up to 32 hops/],
    [{ RULES: undefined }, "RULES", "missing", /list of at least one rule/],
    [{ RULES: [] }, "RULES", "[]", /list of at least one rule/],
    [{ RULES: "[{]" }, "RULES", '"[{]"', /as JSON.*position 2/],
    [{ RULES: { path: "/a" } }, "RULES", '{"path":"/a"}', /list of at least one rule/],
    [{ RULES: ["/a"] }, "RULES[0]", '"/a"', /^A rule is a table/],
    [{ RULES: [null] }, "RULES[0]", "null", /^A rule is a table/],
    [{ RULES: [[rule]] }, "RULES[0]", expect.any(String), /^A rule is a table/],
    [withRule({ limits: 5 }), "RULES[0].limits", "5", /and nothing else/],
    [withRule({ path: undefined }), "RULES[0].path", "missing", /Begin with "\/"/],
    [withRule({ path: "a" }), "RULES[0].path", '"a"', /Begin with "\/"/],
    [withRule({ path: "/a/*/b" }), "RULES[0].path", '"/a/*/b"', /a last "\*"/],
    [withRule({ path: "/a/**" }), "RULES[0].path", '"/a/**"', /a last "\*" for the rest/],
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
    [withRule({ policies: [] }), "RULES[0].policies", "[]", /1 to 16 policies/],
    [withRule({ policies: [5] }), "RULES[0].policies[0]", "5", /Give a policy/],
    [withPolicy({ limit: 0 }), "RULES[0].policies[0].limit", "0", /whole number from 1/],
    [withPolicy({ window: "1y" }), "RULES[0].policies[0].window", '"1y"', /number with its unit/],
    [withPolicy({ algorithm: "gcra" }), "RULES[0].policies[0].algorithm", '"gcra"', /Use one of/],
    [withPolicy({ algorithm: "" }), "RULES[0].policies[0].algorithm", '""', /Use one of/],
    [withPolicy({ algorithm: undefined }), "RULES[0].policies[0].algorithm", "missing", /Use one/],
    [withPolicy({ name: 'a"b' }), "RULES[0].policies[0].name", String.raw`"a\"b"`, /1 to 64 ASCII/],
    [withPolicy({ onFailure: "no" }), "RULES[0].policies[0].onFailure", '"no"', /"open"/],
    [withRule({ onFailure: "no" }), "RULES[0].onFailure", '"no"', /"open", "closed"/],
    [withRule({ partition: ["cookie"] }), "RULES[0].partition[0]", '"cookie"', /"ip" or "header:"/],
    [withRule({ onMissing: "pass" }), "RULES[0].onMissing", '"pass"', /"share" or "reject"/],
    [withRule({ cost: 6 }), "RULES[0].cost", "6", /above a policy's limit/],
    [withRule({ cost: "1" }), "RULES[0].cost", '"1"', /whole number of units/],
    [{ RULES: [rule, rule] }, "RULES[1].policies[0].name", '"p"', /^A policy of RULES\[0\] has/],
    [
      withRule({ policies: [policy, policy] }),
      "RULES[0].policies[1].name",
      '"p"',
      /share one count/,
    ],
  ])("%j is said to be at %s", (variables, path, value, remedy) => {
    expect(faultsOf({ ...sound, ...variables })).toEqual([
      { path, value, remedy: expect.stringMatching(remedy) },
    ]);
  });

  it("is said together with all others, once each", () => {
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
      "RULES[2].policies[0].limit",
      "RULES[2].cost",
      "RULES[2].policies[0].name",
      "UPSTASH_REDIS_REST_URL",
      "UPSTASH_REDIS_REST_TOKEN",
    ]);
  });

  it("shows no secret", () => {
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

  it.each([
    ["as they are", sound],
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
            onFailure: "open",
            cost: 0,
            policies: [{ ...policy, onFailure: "local" }],
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

  it("a zone, where there are zones", () => {
    vi.stubGlobal("navigator", { userAgent: "Cloudflare-Workers" });
    expect(faultsOf({ ...sound, ORIGIN: "zone", CLIENT_IP: undefined })).toEqual([]);
  });
});
