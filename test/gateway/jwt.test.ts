import { createHash, createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, request } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";

import { admin } from "../../src/admin/admin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { listenTo } from "../support/gateway/serve.ts";
import {
  AUDIENCE,
  claimsWith,
  ISSUER,
  type Issuer,
  now,
  startIssuer,
  unsigned,
} from "../support/jwt/issuer.ts";
import { expectFault } from "./faults.ts";

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

type Ask = (
  fields?: Readonly<Record<string, string | readonly string[]>>,
  path?: string,
) => Promise<Answer>;

const RULES = [
  {
    path: "/*",
    policies: [{ ...quota("user", 1), partition: ["jwt:sub"] }],
    onMissing: "share",
  },
];

/** A gateway over HTTP that verifies the tokens of an issuer. */
async function serve(issuer: Issuer, variables: object = {}): Promise<Ask> {
  const origin = await startOrigin();
  const gateway = createGateway(
    {
      ORIGIN: origin.url,
      STORE: "memory",
      CLIENT_IP: { trustedHops: 1 },
      JWT: { jwks: issuer.jwks, issuer: ISSUER, audience: AUDIENCE },
      RULES,
      ...variables,
    },
    { admin },
  );
  const server = createServer(listenTo((asked) => gateway.fetch(asked)));
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  const { port } = server.address() as AddressInfo;
  return async (headers = {}, path = "/") => {
    const sent = request({
      port,
      path,
      headers: headers as Record<string, string[]>,
      agent: false,
    });
    const [response] = (await once(sent.end(), "response")) as [IncomingMessage];
    const body = await text(response);
    return { status: response.statusCode!, headers: response.headers, body };
  };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

let warnings: string[];
beforeEach(() => {
  warnings = [];
  vi.useFakeTimers({ toFake: ["performance"] });
  vi.spyOn(console, "warn").mockImplementation((line) => void warnings.push(String(line)));
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

describe("a token is an identity only if it is verified", () => {
  /** Tokens that count as none. */
  const HOSTILE: Readonly<Record<string, (issuer: Issuer) => string | Promise<string>>> = {
    expired: ({ sign }) => sign({ exp: now() - 10 }),
    "without an exp": ({ sign }) => sign({ exp: undefined }),
    "with a text as exp": ({ sign }) => sign({ exp: String(now() + 300) }),
    "not yet valid": ({ sign }) => sign({ nbf: now() + 60 }),
    "of another issuer": ({ sign }) => sign({ iss: `${ISSUER}/` }),
    "without an issuer": ({ sign }) => sign({ iss: undefined }),
    "for another audience": ({ sign }) => sign({ aud: ["https://other.example"] }),
    "without an audience": ({ sign }) => sign({ aud: undefined }),
    "of none": () => unsigned({ alg: "none" }, claimsWith(), "AA"),
    "of none, without a signature": () => unsigned({ alg: "none" }, claimsWith()),
    "of NONE, with the name of a key": () =>
      unsigned({ alg: "NONE", kid: "k1" }, claimsWith(), "AA"),
    "signed with the public key as a secret": ({ publicKeys }) => {
      const text = unsigned({ alg: "HS256", kid: "k1", typ: "JWT" }, claimsWith()).slice(0, -1);
      const mac = createHmac("sha256", JSON.stringify(publicKeys[0])).update(text);
      return `${text}.${mac.digest("base64url")}`;
    },
    "signed by a key of its author": async () => (await startIssuer()).sign(),
    "signed by a key that it brings": async () => {
      const own = await startIssuer();
      return own.sign({}, { jwk: own.publicKeys[0], jku: own.jwks });
    },
    "with other claims than were signed": async ({ sign }) => {
      const [header, , signature] = (await sign()).split(".");
      return [header, unsigned({}, claimsWith({ sub: "eve" })).split(".")[1], signature].join(".");
    },
    "of 16 kB": ({ sign }) => sign({ padding: "x".repeat(11_000) }),
    "of deep JSON that nobody signed": () =>
      `${Buffer.from('{"alg":"RS256","kid":"k1"}').toString("base64url")}.${"W1tb".repeat(1_500)}.AA`,
    "with a list as its claims": ({ signText }) => signText("[1]"),
    "without JSON": ({ signText }) => signText("ada"),
    "with an extension that must be understood": ({ sign }) => sign({}, { crit: ["x"], x: 1 }),
    "behind another token": async ({ sign }) => `${await sign()}, Bearer ${await sign()}`,
    "with five parts": async ({ sign }) => `${await sign()}.a.b`,
    "of prototypes": ({ signText }) =>
      signText(
        `{"__proto__":{"sub":"ada"},${JSON.stringify({ ...claimsWith(), sub: undefined }).slice(1)}`,
      ),
    "with a list as sub": ({ sign }) => sign({ sub: ["ada"] }),
    "with a table as sub": ({ sign }) => sign({ sub: { toString: "ada" } }),
    "with true as sub": ({ sign }) => sign({ sub: true }),
    "with an empty sub": ({ sign }) => sign({ sub: "" }),
    "with a fraction as sub": ({ sign }) => sign({ sub: 0.5 }),
    "without a sub": ({ sign }) => sign({ sub: undefined }),
  };

  test.each(Object.entries(HOSTILE))("not one %s", async (_name, make) => {
    const issuer = await startIssuer();
    const ask = await serve(issuer);
    expect((await ask()).status).toBe(200);
    // The count of all requests without an identity is used up.
    expect((await ask(bearer(await make(issuer)))).status).toBe(429);
    // The forged one took nothing from the client that it named.
    expect((await ask(bearer(await issuer.sign()))).status).toBe(200);
    expect((await ask(bearer(await issuer.sign({ sub: "eve" })))).status).toBe(200);
  });

  test("two Authorization fields are one identity of nobody", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer);
    const two = [await issuer.sign(), await issuer.sign({ sub: "eve" })];
    expect((await ask({ authorization: two.map((token) => `Bearer ${token}`) })).status).toBe(200);
    expect((await ask()).status).toBe(429);
    expect((await ask(bearer(two[0]!))).status).toBe(200);
    expect((await ask(bearer(two[1]!))).status).toBe(200);
  });

  test.each(["RS256", "PS384", "ES256", "EdDSA"])("one by %s is", async (algorithm) => {
    const issuer = await startIssuer(algorithm);
    const ask = await serve(issuer);
    const statuses = [];
    for (const claims of [
      {},
      // The same client, with another token.
      { jti: "2" },
      { sub: "bob", exp: now() - 3 },
      { sub: "carl", nbf: now() + 3 },
      { sub: "dora", aud: ["https://other.example", AUDIENCE] },
      { sub: 42 },
      { sub: "42" },
      { sub: "deep", deep: JSON.parse(`${"[".repeat(500)}${"]".repeat(500)}`) },
    ]) {
      statuses.push((await ask(bearer(await issuer.sign(claims)))).status);
    }
    expect(statuses).toEqual([200, 429, 200, 200, 200, 200, 429, 200]);
    expect(issuer.asked).toBe(1);
  });

  test("a list names a client by the digest of its claim, as metrics do", async () => {
    const issuer = await startIssuer();
    const digest = `jwt:sub:${createHash("sha256").update("ada").digest("base64url")}`;
    const ask = await serve(issuer, { LISTS: { deny: [{ digest }] } });
    const statuses = [];
    for (const sub of ["ada", "bob"])
      statuses.push((await ask(bearer(await issuer.sign({ sub })))).status);
    expect(statuses).toEqual([403, 200]);
  });

  test("one that was verified before expires, too", async () => {
    vi.useFakeTimers({ toFake: ["performance", "Date"] });
    const issuer = await startIssuer();
    const ask = await serve(issuer, { RULES: [{ ...RULES[0], onMissing: "reject" }] });
    const token = bearer(await issuer.sign({ exp: now() + 300 }));
    const statuses = [];
    for (const seconds of [0, 304, 2]) {
      vi.setSystemTime(Date.now() + seconds * 1_000);
      statuses.push((await ask(token)).status);
    }
    expect(statuses).toEqual([200, 429, 400]);
  });

  test("claims by their names and paths, apart from headers and from each other", async () => {
    const issuer = await startIssuer();
    const names = ["https://example.com/team", "user.team", "org_id"];
    const ask = await serve(issuer, {
      RULES: names.map((name, i) => ({
        path: `/${i}`,
        policies: [{ ...quota(`p${i}`, 1), partition: [`jwt:${name}`] }],
        onMissing: "reject",
      })),
    });
    const claims = { "https://example.com/team": "a", user: { team: "a" }, org_id: "a" };
    const token = bearer(await issuer.sign(claims));
    const flat = bearer(await issuer.sign({ "user.team": "b", user: { team: "a" } }));
    const other = bearer(await issuer.sign({ user: "team" }));
    const statuses = [];
    for (const path of ["/0", "/1", "/2"]) statuses.push((await ask(token, path)).status);
    statuses.push((await ask(flat, "/1")).status, (await ask(other, "/1")).status);
    statuses.push((await ask(token, "/1")).status);
    expect(statuses).toEqual([200, 200, 200, 200, 400, 429]);
  });
});

describe("a plan", () => {
  const variables = {
    PLANS: { gold: { user: { limit: 9 } } },
    RULES: [{ ...RULES[0], plan: "jwt:plan" }],
  };
  const limitOf = ({ headers }: Answer) => /q=(\d+)/.exec(String(headers["ratelimit-policy"]))?.[1];

  test("is what the issuer says, and nothing else", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer, variables);
    const gold = { plan: "gold" };
    const limits = [];
    for (const fields of [
      bearer(await issuer.sign(gold)),
      bearer(await issuer.sign({ sub: "bob" })),
      bearer(await issuer.sign({ sub: "carl", plan: ["gold"] })),
      bearer(await issuer.sign({ sub: "dora", plan: "__proto__" })),
      { ...bearer(await issuer.sign({ sub: "eve" })), "x-plan": "gold", plan: "gold" },
      bearer(unsigned({ alg: "none" }, claimsWith(gold), "AA")),
      bearer(await issuer.sign({ ...gold, exp: now() - 10 })),
      bearer(await issuer.sign({ ...gold, aud: "https://other.example" })),
    ]) {
      limits.push(limitOf(await ask(fields)));
    }
    expect(limits).toEqual(["9", "1", "1", "1", "1", "1", "1", "1"]);
  });
});

describe("a token that fails", () => {
  test("gets a 401 where that is asked for, and one that is not there does not", async () => {
    const issuer = await startIssuer();
    const JWT = { jwks: issuer.jwks, audience: AUDIENCE, onInvalid: "reject" };
    const ask = await serve(issuer, { JWT });
    const late = await ask(bearer(await issuer.sign({ exp: now() - 10 })));
    expect(late).toMatchObject({
      status: 401,
      headers: {
        "www-authenticate":
          'Bearer error="invalid_token", error_description="The token is not accepted: it has expired."',
        "content-type": "application/problem+json",
      },
    });
    const statuses = [];
    for (const fields of [
      bearer(await issuer.sign({ aud: "x" })),
      bearer("sk_1234"),
      { authorization: "Bearer" },
      { authorization: "Basic YTpi" },
      bearer(await issuer.sign()),
    ]) {
      statuses.push((await ask(fields)).status);
    }
    expect(statuses).toEqual([401, 401, 401, 200, 200]);
  });

  test("gets a 503 while no key is known, because it may be valid", async () => {
    const issuer = await startIssuer();
    issuer.answer((_, response) => response.writeHead(500).end());
    const ask = await serve(issuer, { JWT: { jwks: issuer.jwks, onInvalid: "reject" } });
    expect(await ask(bearer(await issuer.sign()))).toMatchObject({
      status: 503,
      headers: { "retry-after": "10" },
    });
  });

  test("may be in another field, where other schemes are no token", async () => {
    const issuer = await startIssuer();
    const JWT = { jwks: issuer.jwks, header: "Cf-Access-Jwt-Assertion" };
    const ask = await serve(issuer, { JWT });
    const token = await issuer.sign();
    const statuses = [];
    for (const fields of [
      { "cf-access-jwt-assertion": token },
      { "cf-access-jwt-assertion": `Bearer ${token}` },
      bearer(token),
      { "cf-access-jwt-assertion": `Basic ${token}` },
    ]) {
      statuses.push((await ask(fields)).status);
    }
    expect(statuses).toEqual([200, 429, 200, 429]);
  });
});

describe("the keys of the issuer", () => {
  test("are read once, and again for a new key, at most once in ten seconds", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer);
    await ask();
    expect((await ask(bearer(await issuer.sign()))).status).toBe(200);
    await issuer.rotate();
    expect((await ask(bearer(await issuer.sign({ sub: "bob" })))).status).toBe(429);
    expect(issuer.asked).toBe(1);
    vi.advanceTimersByTime(10_000);
    const bob = await issuer.sign({ sub: "bob" });
    expect((await ask(bearer(bob))).status).toBe(200);
    expect(issuer.asked).toBe(2);
    for (let i = 0; i < 20; i++) {
      expect((await ask(bearer(await issuer.sign({}, { kid: `made-up-${i}` })))).status).toBe(429);
    }
    expect(issuer.asked).toBe(2);
  });

  test("that are taken back verify for five minutes", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer, { RULES: [{ ...RULES[0], onMissing: "reject" }] });
    const old = bearer(await issuer.sign());
    expect((await ask(old)).status).toBe(200);
    await issuer.rotate();
    vi.advanceTimersByTime(300_000);
    // The request that finds them old does not wait for newer ones.
    expect((await ask(old)).status).toBe(429);
    await vi.waitFor(() => expect(issuer.asked).toBe(2));
    await vi.waitFor(async () => expect((await ask(old)).status).toBe(400));
  });

  test("that cannot be read are told by both healths, and why by that of the admin API", async () => {
    const issuer = await startIssuer();
    const ADMIN_TOKEN = "fBv4mJ8xQ2fBv4mJ8xQ2";
    const ask = await serve(issuer, { ADMIN_TOKEN, ADMIN_HOST: "any" });
    const told = async (path: string, token = {}) => {
      const { status, code, keys } = JSON.parse((await ask(token, path)).body);
      return { status, code, keys };
    };
    const administered = () => told("/_tidegate/api/v1/health", bearer(ADMIN_TOKEN));
    expect(await administered()).toEqual({ status: "ok", keys: {} });
    issuer.answer((_, response) => response.writeHead(404).end());
    await ask(bearer(await issuer.sign()));
    const unwell = { status: "degraded", code: "keys-unread" };
    expect(await told("/_tidegate/health")).toEqual(unwell);
    const error = "the status is 404. No token is verified until the keys can be read.";
    expect(await administered()).toEqual({ ...unwell, keys: { error } });
    issuer.answer(undefined);
    vi.advanceTimersByTime(10_000);
    expect((await ask(bearer(await issuer.sign()))).status).toBe(200);
    expect(await administered()).toEqual({ status: "ok", keys: {} });
  });

  test("go on for an hour while they cannot be read, which is told once", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer, { RULES: [{ ...RULES[0], onMissing: "reject" }] });
    const next = async (sub: string) => (await ask(bearer(await issuer.sign({ sub })))).status;
    const health = async () => JSON.parse((await ask({}, "/_tidegate/health")).body).status;
    expect(await next("a")).toBe(200);
    issuer.answer((_, response) => response.destroy());
    vi.advanceTimersByTime(300_000);
    expect(await next("b")).toBe(200);
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    expect(await health()).toBe("degraded");
    vi.advanceTimersByTime(3_299_000);
    expect(await next("c")).toBe(200);
    await vi.waitFor(() => expect(issuer.asked).toBe(3));
    vi.advanceTimersByTime(11_000);
    expect(await next("d")).toBe(400);
    expect(warnings.map((line) => line.slice(line.lastIndexOf(". ", line.length - 2) + 2))).toEqual(
      [
        "Tokens are verified by the keys of before, for up to an hour.",
        "No token is verified until the keys can be read.",
      ],
    );
    issuer.answer(undefined);
    vi.advanceTimersByTime(10_000);
    expect(await next("e")).toBe(200);
    expect(await health()).toBe("ok");
  });

  test("that never come hold a request up once, and are no identity", async () => {
    const issuer = await startIssuer();
    issuer.answer(() => {});
    const ask = await serve(issuer);
    await ask();
    const token = bearer(await issuer.sign());
    // Both wait for the same answer.
    const both = await Promise.all([ask(token), ask(token)]);
    expect(both.map(({ status }) => status)).toEqual([429, 429]);
    vi.advanceTimersByTime(1_000);
    expect((await ask(token)).status).toBe(429);
    expect(issuer.asked).toBe(1);
  });

  test.each<[string, Parameters<Issuer["answer"]>[0]]>([
    ["a redirect", (_, response) => response.writeHead(302, { Location: "/keys" }).end()],
    ["an error", (_, response) => response.writeHead(404).end('{"keys":[]}')],
    ["no JSON", (_, response) => response.end("<html>")],
    ["no keys", (_, response) => response.end('{"keys":[]}')],
    ["a list", (_, response) => response.end("[]")],
    ["keys that are none", (_, response) => response.end('{"keys":[5]}')],
    ["too many bytes", (_, response) => response.end(" ".repeat(65_537))],
  ])("are not %s", async (_name, listener) => {
    const issuer = await startIssuer();
    issuer.answer(listener);
    const ask = await serve(issuer);
    await ask();
    const token = bearer(await issuer.sign());
    expect((await ask(token)).status).toBe(429);
    expect((await ask(token)).status).toBe(429);
    expect(issuer.asked).toBe(1);
    expect(warnings.filter((line) => line.includes(issuer.jwks))).toHaveLength(1);
  });
});

describe("a signature is verified", () => {
  const countVerified = () => vi.spyOn(crypto.subtle, "verify");

  test("once for a request, whatever many policies, rules and the plan ask, and once for a token", async () => {
    const issuer = await startIssuer();
    const policies = ["a", "b"].map((name) =>
      Object.assign(quota(name, 9), { partition: ["jwt:sub"] }),
    );
    const ask = await serve(issuer, {
      PLANS: { gold: { a: { limit: 10 } } },
      RULES: [
        { path: "/*", policies, plan: "jwt:plan" },
        { path: "/a", policies: [{ ...quota("c", 9), partition: [["ip", "jwt:org"], "jwt:sub"] }] },
      ],
    });
    const verify = countVerified();
    const token = bearer(await issuer.sign());
    const forged = { authorization: `${token.authorization.slice(0, -8)}AAAAAAAA` };
    for (const [fields, count] of [
      [{}, 0],
      [token, 1],
      [token, 1],
      [forged, 2],
      [forged, 3],
    ] as const) {
      await ask({ ...fields, "x-forwarded-for": "192.0.2.1" }, "/a");
      expect(verify).toHaveBeenCalledTimes(count);
    }
  });

  test("for each new token of an address that a policy denies, because its plan may have room", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer, {
      PLANS: { gold: { address: { limit: 3 } } },
      RULES: [
        {
          path: "/*",
          plan: "jwt:plan",
          policies: [
            { ...quota("address", 1), partition: ["ip"] },
            { ...quota("user", 9), partition: ["jwt:sub"], onMissing: "skip" },
          ],
        },
      ],
    });
    const verify = countVerified();
    const tokens = [undefined, undefined, {}, { plan: "gold" }, { plan: "gold", sub: "eve" }, {}];
    const answers: unknown[] = [];
    for (const claims of tokens) {
      const token = claims && bearer(await issuer.sign({ ...claims, jti: crypto.randomUUID() }));
      const { status } = await ask({ ...token, "x-forwarded-for": "192.0.2.1" });
      answers.push([status, verify.mock.calls.length]);
    }
    expect(answers).toEqual([
      [200, 0],
      [429, 0],
      [429, 1],
      [200, 2],
      [200, 3],
      [429, 4],
    ]);
  });

  test("for no client on a list", async () => {
    const issuer = await startIssuer();
    const ask = await serve(issuer, { LISTS: { deny: [{ cidr: "192.0.2.1" }] } });
    const verify = countVerified();
    const fields = { ...bearer(await issuer.sign()), "x-forwarded-for": "192.0.2.1" };
    expect((await ask(fields)).status).toBe(403);
    expect(verify).toHaveBeenCalledTimes(0);
    expect(issuer.asked).toBe(0);
  });
});

describe("faults", () => {
  const sound = {
    ORIGIN: "https://origin.example",
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES,
  };
  const jwks = "https://issuer.example/jwks.json";

  test.each<[variables: object, path: string, value: string, code: string]>([
    [{}, "RULES[0].policies[0].partition[0]", '"jwt:sub"', "missing"],
    [{ JWT_SECRET: "x".repeat(32) }, "RULES[0].policies[0].partition[0]", '"jwt:sub"', "missing"],
  ])("%#: without JWT, its sources have no effect", (variables, path, value, code) => {
    expectFault({ ...sound, ...variables }, path, value, code as "missing");
  });

  test.each<[JWT: unknown, path: string, value: string, code: string, secret?: string]>([
    [{}, "JWT.jwks", "missing", "missing"],
    ["{", "JWT", '"(hidden)"', "no-json"],
    [5, "JWT", '"(hidden)"', "shape"],
    [{ jwks: "issuer.example" }, "JWT.jwks", '"issuer.example"', "shape"],
    [
      { jwks: "https://a:b@issuer.example/" },
      "JWT.jwks",
      '"https://(hidden)@issuer.example/"',
      "shape",
    ],
    [{ jwks }, "JWT.secret", '"(hidden)"', "conflict", "x".repeat(32)],
    [{}, "JWT.secret", '"(hidden)"', "shape", "x".repeat(31)],
    [{ jwks, issuer: [] }, "JWT.issuer", "[]", "shape"],
    [{ jwks, audience: [""] }, "JWT.audience", '[""]', "shape"],
    [{ jwks, algorithms: ["HS256"] }, "JWT.algorithms", '["HS256"]', "choice"],
    [{ jwks, algorithms: ["none"] }, "JWT.algorithms", '["none"]', "choice"],
    [{ algorithms: ["RS256"] }, "JWT.algorithms", '["RS256"]', "choice", "x".repeat(32)],
    [{ jwks, clockSkew: "61s" }, "JWT.clockSkew", '"61s"', "range"],
    [{ jwks, header: "a b" }, "JWT.header", '"a b"', "shape"],
    [{ jwks, onInvalid: "share" }, "JWT.onInvalid", '"share"', "choice"],
    [{ jwks, isuer: "a" }, "JWT.isuer", '"a"', "unknown-option"],
  ])("%#: of JWT", (JWT, path, value, code, secret) => {
    // Its sources have no fault, too.
    expectFault({ ...sound, JWT, JWT_SECRET: secret }, path, value, code as "shape");
  });
});
