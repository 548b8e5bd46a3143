import { describe, expect, onTestFinished, test, vi } from "vitest";

import { createGateway } from "../../../src/gateway/gateway.ts";
import type { FaultCode } from "../../../src/options/errors.ts";
import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { expectFault, faultsOf } from "../faults.ts";

const rules = [{ path: "/api/*", policies: [quota("api", 1)] }];

/** A Redis that counts its calls, and answers none. */
function countedRedis() {
  const fetched = vi.spyOn(globalThis, "fetch");
  onTestFinished(() => fetched.mockRestore());
  const redis = "http://127.0.0.1:1";
  const calls = () =>
    fetched.mock.calls.filter(([input]) => String(input).startsWith(redis)).length;
  return {
    calls,
    variables: {
      STORE: "redis",
      UPSTASH_REDIS_REST_URL: redis,
      UPSTASH_REDIS_REST_TOKEN: "t",
      ON_FAILURE: "closed",
    },
  };
}

/** A request, with what Workers say about its client. */
function fromNetwork(cf: object | undefined, fields: Record<string, string> = {}): Request {
  const request = new Request("http://gateway.example/api/a", { headers: fields });
  return cf ? Object.assign(request, { cf }) : request;
}

describe("LISTS", () => {
  test("let a client pass without a call of Redis", async () => {
    const origin = await startOrigin();
    const { calls, variables } = countedRedis();
    const lists = { allow: [{ cidr: "192.0.2.0/24" }] };
    const ask = gatewayTo(origin.url, rules, { ...variables, LISTS: lists });

    for (let request = 0; request < 3; request++) {
      const passed = await ask("/api/a");
      expect([passed.status, await passed.text()]).toEqual([200, "origin"]);
      const told = [...passed.headers].filter(([name]) => /ratelimit|retry/.test(name));
      expect(told).toEqual([["x-ratelimit-reason", "exempt"]]);
    }
    expect(calls()).toBe(0);

    const other = await ask("/api/a", { headers: { "cf-connecting-ip": "192.0.3.1" } });
    expect(other.status).toBe(503);
    expect(calls()).toBe(1);
    expect(origin.seen).toHaveLength(3);
  });

  test("refuse a client everywhere, before Redis and the origin are asked", async () => {
    const origin = await startOrigin();
    const { calls, variables } = countedRedis();
    const lists = { deny: [{ cidr: "192.0.2.1" }] };
    const ask = gatewayTo(origin.url, rules, { ...variables, LISTS: lists });
    for (const path of ["/api/a", "/that/no/rule/covers", "/api%2Fa"]) {
      const refused = await ask(path);
      expect([path, refused.status]).toEqual([path, 403]);
      expect(refused.headers.get("Content-Type")).toBe("application/problem+json");
      expect(refused.headers.get("X-RateLimit-Reason")).toBe("blocked");
      expect(refused.headers.has("Retry-After")).toBe(false);
      expect(await refused.json()).toMatchObject({ title: "Forbidden", status: 403 });
    }
    expect([calls(), origin.seen.length]).toEqual([0, 0]);
    const other = { headers: { "cf-connecting-ip": "192.0.2.2" } };
    expect((await ask("/that/no/rule/covers", other)).status).toBe(200);
  });

  test.for<[clientIp: unknown, field: string, known: string]>([
    ["cloudflare", "cf-connecting-ip", "192.0.2.1"],
    ["vercel", "x-real-ip", "192.0.2.1"],
    [{ trustedHops: 1 }, "x-forwarded-for", "198.51.100.7, 192.0.2.1"],
    [{ trustedHops: 2 }, "x-forwarded-for", "192.0.2.1, 203.0.113.9"],
  ])(
    "where they deny addresses, refuse a client whose address %j does not say",
    async ([CLIENT_IP, field, known]) => {
      const log = vi.spyOn(console, "warn").mockImplementation(() => {});
      onTestFinished(() => log.mockRestore());
      const origin = await startOrigin();
      const { fetch } = createGateway({
        ORIGIN: origin.url,
        STORE: "memory",
        RULES: rules,
        CLIENT_IP,
        LISTS: { allow: [{ identity: "x-job:42" }], deny: [{ cidr: "203.0.113.0/24" }] },
      });
      const statusOf = async (headers: Record<string, string>) =>
        (await fetch(new Request("http://gateway.example/that/no/rule/covers", { headers })))
          .status;
      for (const sent of [undefined, "", "unknown", "203.0.113.9.", "203.0.113.9 192.0.2.1"]) {
        const headers: Record<string, string> = sent === undefined ? {} : { [field]: sent };
        expect([sent, await statusOf(headers)]).toEqual([sent, 403]);
        expect([sent, await statusOf({ ...headers, "x-job": "42" })]).toEqual([sent, 200]);
      }
      expect(await statusOf({ [field]: known })).toBe(200);
      expect(log.mock.calls.flat().filter((line) => /deny has addresses/.test(line))).toHaveLength(
        1,
      );
    },
  );

  test("say nothing about the gateway's own paths, and deny a client before its path is read", async () => {
    const ask = gatewayTo("http://127.0.0.1:1", rules, {
      LISTS: { deny: [{ cidr: "0.0.0.0/0" }] },
    });
    for (const [path, status] of Object.entries({
      "/_tidegate/live": 200,
      "/_tidegate/health": 200,
      "/_tidegate/other": 404,
      "/a%5Cb": 403,
      "/api%2Fa": 403,
      "/a": 403,
    })) {
      expect([path, (await ask(path)).status]).toEqual([path, status]);
    }
  });

  test("leave a response as it is where no rule covers the request", async () => {
    const origin = await startOrigin();
    const ask = gatewayTo(origin.url, rules, { LISTS: { allow: [{ cidr: "192.0.2.1" }] } });
    expect((await ask("/other")).headers.has("X-RateLimit-Reason")).toBe(false);
    expect((await ask("/api%2Fa")).status).toBe(400);
  });

  test("know a client by a header's value, in every spelling of the header and of a credential", async () => {
    const origin = await startOrigin();
    const deny = [
      { identity: "X-User-Id: 42" },
      { identity: "authorization:Bearer abc" },
      { identity: "x-time:12:30" },
    ];
    const ask = gatewayTo(origin.url, rules, {
      CLIENT_IP: undefined,
      LISTS: { deny },
      RULES: [{ ...rules[0], partition: ["header:x-user-id"] }],
    });
    const sent: [headers: Record<string, string>, status: number][] = [
      [{ "X-USER-ID": " 42 " }, 403],
      [{ authorization: "bearer  abc" }, 403],
      [{ "x-time": "12:30" }, 403],
      [{ "x-user-id": "4" }, 200],
      [{ "x-user-id": "42, 42" }, 200],
      [{ "x-other": "42" }, 200],
      [{}, 200],
    ];
    for (const [headers, status] of sent) {
      expect([headers, (await ask("/b", { headers })).status]).toEqual([headers, status]);
    }
  });

  test("know the network and the country as the trusted platform says them", async () => {
    const origin = await startOrigin();
    const gatewayOf = (CLIENT_IP: unknown) =>
      createGateway({
        ORIGIN: origin.url,
        STORE: "memory",
        RULES: rules,
        CLIENT_IP,
        LISTS: { deny: [{ asn: 64496 }, { country: "KP" }] },
      });
    const cloudflare = gatewayOf("cloudflare");
    const vercel = gatewayOf("vercel");
    const fields = { "x-vercel-ip-as-number": "64496", "x-vercel-ip-country": "KP" };
    const log = vi.spyOn(console, "warn").mockImplementation(() => {});
    onTestFinished(() => log.mockRestore());
    const statuses = [
      await cloudflare.fetch(fromNetwork({ asn: 64496, country: "CH" })),
      await cloudflare.fetch(fromNetwork({ asn: 1, country: "KP" })),
      await cloudflare.fetch(fromNetwork({ asn: 1, country: "CH" }, fields)),
      await vercel.fetch(fromNetwork(undefined, { "x-vercel-ip-as-number": "64496" })),
      await vercel.fetch(fromNetwork(undefined, { "x-vercel-ip-country": "KP" })),
      await vercel.fetch(fromNetwork({ asn: 64496 }, { "x-vercel-ip-country": "CH" })),
    ].map(({ status }) => status);
    expect(statuses).toEqual([403, 403, 200, 403, 403, 200]);
    const lines = () => log.mock.calls.filter(([line]) => String(line).includes("lists name"));
    expect(lines()).toHaveLength(0);
    await cloudflare.fetch(fromNetwork(undefined));
    await cloudflare.fetch(fromNetwork(undefined));
    expect(lines()).toHaveLength(1);
  });
});

const sound = {
  ORIGIN: "https://origin.example",
  STORE: "memory",
  CLIENT_IP: "cloudflare",
  RULES: rules,
};
const byHeader = {
  CLIENT_IP: undefined,
  RULES: [{ ...rules[0], partition: ["header:x-api-key"] }],
};
const deny = (entry: object) => ({ LISTS: { deny: [entry] } });

describe("a fault of LISTS", () => {
  test.each<[variables: object, path: string, value: string, code: FaultCode, says?: string]>([
    [{ LISTS: "{" }, "LISTS", '"{"', "no-json", "position 1"],
    [{ LISTS: "[]" }, "LISTS", "[]", "shape"],
    [{ LIST: {} }, "LIST", '"(hidden)"', "unknown-option", "LISTS"],
    [deny({ cidr: "10.0.0.1/8" }), "LISTS.deny[0].cidr", '"10.0.0.1/8"', "shape", '"10.0.0.0/8"'],
    [
      { LISTS: '{"allow":[{"asn":1,"untill":"x"}]}' },
      "LISTS.allow[0].untill",
      '"x"',
      "unknown-option",
      "`until`",
    ],
    ...["42", ":42", "a:", "a b:1", "ip:::1", "header:x-user-id:4"].map(
      (identity): [object, string, string, FaultCode] => [
        deny({ identity }),
        "LISTS.deny[0].identity",
        '"(hidden)"',
        "shape",
      ],
    ),
    [{ ...byHeader, ...deny({ cidr: "10.0.0.0/8" }) }, "CLIENT_IP", "missing", "missing"],
    [{ ...byHeader, ...deny({ asn: 1 }) }, "CLIENT_IP", "missing", "missing"],
    [{ CLIENT_IP: "nginx", ...deny({ asn: 1 }) }, "CLIENT_IP", '"nginx"', "choice"],
    [{ CLIENT_IP: "socket", ...deny({ asn: 1 }) }, "LISTS.deny[0].asn", "1", "unsupported"],
    [
      { CLIENT_IP: { trustedHops: 1 }, LISTS: { allow: [{ country: "CH" }] } },
      "LISTS.allow[0].country",
      '"CH"',
      "unsupported",
    ],
  ])("%j is said to be at %s", (variables, path, value, code, says) =>
    expectFault({ ...sound, ...variables }, path, value, code, says),
  );

  test("is reported at each entry, so that one by itself can be left out", () => {
    const lists = { deny: [{ asn: 1 }, { asn: 2 }] };
    const paths = faultsOf({ ...sound, CLIENT_IP: "socket", LISTS: lists }).map(({ path }) => path);
    expect(paths).toEqual(["LISTS.deny[0].asn", "LISTS.deny[1].asn"]);
  });

  test("is none where no entry needs an address", () => {
    expect(faultsOf({ ...sound, ...byHeader, ...deny({ identity: "x-user-id:42" }) })).toEqual([]);
  });
});
