import { Hono } from "hono";
import { SignJWT } from "jose";
import { describe, expect, test, vi } from "vitest";

import * as hono from "../../src/hono.ts";
import {
  ConfigurationError,
  fixedWindow,
  header,
  lists,
  memoryStore,
  plans,
} from "../../src/index.ts";
import { claim, jwt, type JwtOptions } from "../../src/jwt.ts";
import * as vercel from "../../src/vercel.ts";

const secret = "a secret that only this test has, and nobody else";

function sign(claims: Record<string, unknown>, algorithm = "HS256", by = secret): Promise<string> {
  return new SignJWT({ exp: 4_000_000_000, ...claims })
    .setProtectedHeader({ alg: algorithm })
    .sign(new TextEncoder().encode(by));
}

type Ask = (token?: string, more?: Record<string, string>) => Promise<Response>;

const optionsOf = (options: JwtOptions, more: object = {}) => ({
  store: memoryStore(),
  policies: [fixedWindow({ name: "user", limit: 1, window: "1d" })],
  partition: [claim("sub"), "ip" as const],
  plans: plans({ gold: { user: { limit: 9 } } }),
  plan: "jwt:plan" as const,
  clientIp: "cloudflare" as const,
  jwt: jwt(options),
  onMissing: "share" as const,
  ...more,
});

function ask(handle: (request: Request) => Response | Promise<Response>): Ask {
  return async (token, more) => {
    const headers = { ...more, ...(token && { authorization: `Bearer ${token}` }) };
    return handle(new Request("https://shop.example/", { headers }));
  };
}

const makers: [string, (options: JwtOptions, more?: object) => Ask][] = [
  [
    "hono",
    (options, more) => {
      const app = new Hono()
        .use(hono.rateLimit(optionsOf(options, more)))
        .get("*", (c) => c.text("hello"));
      return ask((request) => app.fetch(request));
    },
  ],
  ["vercel", (options, more) => ask(vercel.rateLimit(optionsOf(options, more)))],
];

const limitOf = ({ status, headers }: Response) =>
  `${status} ${/q=(\d+)/.exec(headers.get("ratelimit-policy") ?? "")?.[1]}`;

describe.each(makers)("tidegate/%s", (_name, make) => {
  test("counts by claims, and takes the plan from one", async () => {
    const send = make({ secret });
    const seen = [];
    for (const token of [
      await sign({ sub: "ada", plan: "gold" }),
      await sign({ sub: "ada", plan: "gold" }, "HS512"),
      await sign({ sub: "bob" }),
      await sign({ sub: "bob" }),
      await sign({ sub: "carl", plan: "gold" }, "HS256", secret.replace("a", "b")),
      undefined,
    ]) {
      seen.push(limitOf(await send(token)));
    }
    expect(seen).toEqual(["200 9", "200 9", "200 1", "429 1", "200 1", "429 1"]);
  });

  test("verifies once for each request, and none of a client on a list", async () => {
    const verify = vi.spyOn(crypto.subtle, "verify");
    const policies = ["a", "b"].map((name) =>
      fixedWindow({ name, limit: 9, window: "1d", partition: [claim("sub"), header("x-key")] }),
    );
    const denied = lists({ deny: [{ cidr: "192.0.2.1" }] });
    const send = make({ secret }, { policies, plans: plans({}), lists: denied });
    const token = await sign({ sub: "ada" });
    expect((await send(token, { "cf-connecting-ip": "192.0.2.1" })).status).toBe(403);
    expect(verify).toHaveBeenCalledTimes(0);
    expect((await send(token, { "cf-connecting-ip": "192.0.2.2" })).status).toBe(200);
    expect(verify).toHaveBeenCalledTimes(1);
    verify.mockRestore();
  });

  test("refuses a token where that is asked for", async () => {
    const send = make({ secret, algorithms: ["HS512"], onInvalid: "reject" });
    const answer = await send(await sign({ sub: "ada" }));
    expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
      401,
      'Bearer error="invalid_token", error_description="The token is not accepted: its algorithm is not allowed."',
    ]);
    expect((await send(await sign({ sub: "ada" }, "HS512"))).status).toBe(200);
  });
});

describe("faults", () => {
  const faultsOf = (options: object) => {
    try {
      hono.rateLimit(options as never);
    } catch (error) {
      return (error as ConfigurationError).faults.map(({ path, code }) => `${path}: ${code}`);
    }
    return [];
  };
  const { jwt: _, ...without } = optionsOf({ secret });

  test.each<[options: object, faults: readonly string[]]>([
    [without, ["partition[0]: missing", "plan: missing"]],
    [{ ...without, jwt: { secret } }, ["jwt: shape"]],
    [{ ...without, jwt: jwt({}) }, ["jwt.jwks: missing"]],
    [{ ...without, jwt: jwt(undefined as never) }, ["jwt: shape"]],
    [{ ...without, partition: ["jwt:sub"], plan: undefined }, ["partition[0]: shape"]],
    [{ ...without, partition: [claim("a b")], jwt: jwt({ secret }) }, ["partition[0]: shape"]],
    [{ ...without, plan: "jwt:", jwt: jwt({ secret }) }, ["plan: shape"]],
  ])("%#", (options, faults) => {
    expect(faultsOf(options)).toEqual(faults);
  });
});
