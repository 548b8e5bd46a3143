import { expect, test } from "vitest";

import { createGateway } from "../../../src/gateway/gateway.ts";
import { gatewayTo, quota, startOrigin } from "../../support/gateway/gateway.ts";
import { faultsOf } from "../faults.ts";

const policies = [quota("p", 1)];

/** The statuses of requests to a gateway with one rule, one after the other; each identity has a quota of one. */
async function statuses(
  rule: object,
  requests: readonly (readonly [path: string, fields?: Record<string, string>])[],
): Promise<number[]> {
  const ask = gatewayTo((await startOrigin()).url, [{ path: "/*", policies, ...rule }]);
  const answers: number[] = [];
  for (const [path, headers] of requests) {
    answers.push((await ask(path, headers && { headers })).status);
  }
  return answers;
}

test("a rule counts by a segment of its path, for every client and spelling", async () => {
  expect(
    await statuses({ path: "/users/:id/*", partition: ["path:id"] }, [
      ["/users/42/a"],
      ["/users/43/b"],
      ["/users/42/c", { "cf-connecting-ip": "192.0.2.2" }],
      ["/USERS/%34%32/a"],
      ["/users/42;a/a"],
      ["/users/%2534%32/a"],
      ["/users/44/a"],
    ]),
  ).toEqual([200, 200, 429, 429, 429, 429, 200]);
});

test("a segment that origins may read differently is passed over", async () => {
  const rule = { path: "/users/:id/*", partition: ["path:id", "ip"] };
  const requests = [["/users/42%2fa"], ["/users/43%2fa"], ["/users/42/a"]] as const;
  expect(await statuses(rule, requests)).toEqual([200, 429, 200]);
});

test("each rule reads its own path", async () => {
  const ask = gatewayTo((await startOrigin()).url, [
    { path: "/:id/*", policies: [quota("tenant", 2)], partition: ["path:id"] },
    { path: "/:tenant/:id", policies: [quota("thing", 1)], partition: ["path:id"] },
  ]);
  const answers: number[] = [];
  // A denial by one rule takes no unit of the other: /b has a unit left for /b/3.
  const paths = ["/a/1", "/b/1", "/b/2", "/b/3", "/b/4"];
  for (const path of paths) answers.push((await ask(path)).status);
  expect(answers).toEqual([200, 429, 200, 200, 429]);
});

test("a rule counts by cookies, queries and subnets, first present first", async () => {
  expect(
    await statuses({ partition: ["cookie:sid", "query:key", "subnet"] }, [
      ["/", { cookie: "sid=a" }],
      ["/?key=a", { cookie: "sid=a" }],
      ["/?key=a"],
      ["/?key=b"],
      ["/x?key=%61"],
      ["/?key=c&key=d"],
      ["/", { "cf-connecting-ip": "192.0.2.99" }],
      ["/", { "cf-connecting-ip": "192.0.3.1" }],
    ]),
  ).toEqual([200, 429, 200, 200, 429, 200, 429, 200]);
});

test("a rule counts by the network and the country that Cloudflare or Vercel says", async () => {
  const variables = { ORIGIN: (await startOrigin()).url, STORE: "memory" };
  const RULES = [{ path: "/*", policies, partition: ["asn"], onMissing: "reject" }];
  const workers = createGateway({ ...variables, CLIENT_IP: "cloudflare", RULES });
  const vercel = createGateway({ ...variables, CLIENT_IP: "vercel", RULES });
  const ask = async (gateway: typeof workers, cf: object, asn: string) => {
    const request = new Request("http://gateway.example/", {
      headers: { "x-vercel-ip-as-number": asn },
    });
    return (await gateway.fetch(Object.assign(request, { cf }))).status;
  };
  expect([
    await ask(workers, { asn: 1 }, "2"),
    await ask(workers, { asn: 1 }, "3"),
    await ask(workers, { asn: 2 }, "3"),
    await ask(workers, {}, "4"),
  ]).toEqual([200, 429, 200, 400]);
  expect([
    await ask(vercel, { asn: 1 }, "2"),
    await ask(vercel, { asn: 2 }, "2"),
    await ask(vercel, { asn: 1 }, "3"),
  ]).toEqual([200, 429, 200]);
});

const sound = { ORIGIN: "https://origin.example", STORE: "memory" };

test("faults of sources name their place in the rules", () => {
  const rule = (name: string, partition: unknown, path: unknown = "/users/:id/:part") => ({
    path,
    policies: [quota(name, 1)],
    partition,
  });
  const faults = faultsOf({
    ...sound,
    CLIENT_IP: { trustedHops: 1 },
    RULES: [
      rule("a", ["path:user"]),
      rule("b", ["header:x", ["ip", "asn"], ["ip", "session"], ["ip", 7], ["path:id", []]]),
      rule("c", "ip"),
      rule("d", ["*"]),
      rule("e", ["path:id"], "users/:id"),
      rule("f", ["path:id"], 7),
      rule("g", ["path:id"], "/users"),
      rule("h", [["path:id", "path:part"], "path:id"]),
      rule("i", null),
    ],
  });
  expect(faults.map(({ path, value }) => [path, value])).toEqual([
    ["RULES[0].partition[0]", '"path:user"'],
    ["RULES[1].partition[1][1]", '"asn"'],
    ["RULES[1].partition[2][1]", '"session"'],
    ["RULES[1].partition[3][1]", "7"],
    ["RULES[1].partition[4][1]", "[]"],
    ["RULES[2].partition", '"ip"'],
    ["RULES[3].partition[0]", '"*"'],
    ["RULES[4].path", '"users/:id"'],
    ["RULES[5].path", "7"],
    ["RULES[6].partition[0]", '"path:id"'],
    ["RULES[8].partition", "null"],
  ]);
  expect(faults[0]!.remedy).toBe(
    'Add ":user" to the rule\'s path, or use "path:id", or use "path:part": it has no such segment. (In the rule for * /users/:id/:part.)',
  );
  expect(faults[9]!.remedy).toMatch(/^Add ":id" to the rule's path: it has no such segment\./);
});

test("CLIENT_IP is asked for where a source needs the address, also within a list", () => {
  const paths = (partition: unknown) =>
    faultsOf({ ...sound, RULES: [{ path: "/*", policies, partition }] }).map(({ path }) => path);
  expect(paths(["subnet"])).toEqual(["CLIENT_IP"]);
  expect(paths([["header:x", "ip"]])).toEqual(["CLIENT_IP"]);
  expect(paths([["header:x", "query:y"]])).toEqual([]);
  expect(paths("*")).toEqual([]);
  expect(paths(["asn"])).toEqual(["RULES[0].partition[0]"]);
});
