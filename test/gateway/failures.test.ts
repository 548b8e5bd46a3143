import { once } from "node:events";
import type { ServerResponse } from "node:http";

import { describe, expect, inject, test, vi } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import type { FaultCode } from "../../src/options/errors.ts";
import { background } from "../support/adapter/background.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { expectFault, faultsOf } from "./faults.ts";

const login = (name: string, limit: number, more: object = {}) => ({
  ...quota(name, limit),
  counts: "failures",
  ...more,
});

/** Logins by address and by account, each of which may fail only so often. */
const LOGIN = {
  path: "/login/:account",
  policies: [
    login("login-address", 20, { partition: ["ip"] }),
    login("login-account", 5, { partition: ["path:account"] }),
  ],
};

/** A gateway in front of a real origin, which answers as the test says. */
async function gatewayTo(
  answer: (path: string, response: ServerResponse) => unknown,
  rules: readonly object[] = [LOGIN],
  variables: object = {},
) {
  let reached = 0;
  const origin = await startOrigin((request, response) => {
    reached++;
    answer(request.url!, response);
  });
  const { context, done } = background();
  const gateway = createGateway({
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: rules,
    ...variables,
  });
  return {
    done,
    reached: () => reached,
    async ask(path: string, init: RequestInit = {}, address = "192.0.2.1") {
      const request = new Request(`http://gateway.example${path}`, init);
      request.headers.set("cf-connecting-ip", address);
      return gateway.fetch(request, {}, context);
    },
  };
}

type Gateway = Awaited<ReturnType<typeof gatewayTo>>;

/** How many failures are left, by policy, when everything is settled. */
async function left({ ask, done }: Gateway, path = "/login/ada"): Promise<string> {
  await done();
  const answer = await ask(path, { method: "HEAD" });
  await done();
  const found = answer.headers.get("RateLimit")!.matchAll(/"([\w-]+)";r=(\d+)/g);
  return [...found].map(([, name, units]) => `${name} ${Number(units) + 1}`).join();
}

const ALL = "login-address 20,login-account 5";
const withStatus = (status: number) => (_path: string, response: ServerResponse) =>
  response.writeHead(status).end("x");

describe("logins through the gateway, on a real Redis", () => {
  const onRedis = () => ({
    STORE: "redis",
    UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
    UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
    TIMEOUT: "10s",
    PREFIX: crypto.randomUUID(),
  });

  test("of 100 that fail at once, exactly 5 for one account reach the origin, and 20 of one address", async () => {
    const gateway = await gatewayTo(withStatus(401), [LOGIN], onRedis());
    const statuses = await Promise.all(
      Array.from({ length: 100 }, async () => (await gateway.ask("/login/ada")).status),
    );
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
    expect(gateway.reached()).toBe(5);
    await Promise.all(Array.from({ length: 100 }, (_, i) => gateway.ask(`/login/user-${i}`)));
    expect(gateway.reached()).toBe(20);
    expect((await gateway.ask("/login/eve", {}, "192.0.2.2")).status).toBe(401);
    expect((await gateway.ask("/login/ada", {}, "192.0.2.2")).status).toBe(429);
  });

  test("of 100 good ones at once, those beyond the limit are told to wait one second, and all units come back", async () => {
    const waiting: ServerResponse[] = [];
    let isOpen = false;
    const welcome = (_path: string, response: ServerResponse) => {
      if (isOpen) response.end("welcome");
      else waiting.push(response);
    };
    const gateway = await gatewayTo(welcome, [LOGIN], onRedis());
    let denied = 0;
    const answers = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const answer = await gateway.ask("/login/ada");
        if (answer.status === 429 && ++denied === 95) {
          isOpen = true;
          for (const response of waiting) response.end("welcome");
        }
        return [answer.status, answer.headers.get("Retry-After"), (await answer.text()).length];
      }),
    );
    expect(answers.filter(([status]) => status === 200)).toEqual(
      Array.from({ length: 5 }, () => [200, null, 7]),
    );
    expect(new Set(answers.map(([, wait]) => wait))).toEqual(new Set([null, "1"]));
    expect(await left(gateway)).toBe(ALL);
  });
});

test("only the statuses of `when` count, of each policy its own", async () => {
  const rules = [
    { path: "/*", policies: [login("errors", 5, { when: { status: [500, 502] } })] },
    { path: "/login/*", policies: [login("logins", 5)] },
  ];
  let status = 200;
  const gateway = await gatewayTo((path, response) => withStatus(status)(path, response), rules);
  for (status of [401, 500, 302, 502, 403, 404]) await (await gateway.ask("/login/ada")).text();
  status = 200;
  expect(await left(gateway)).toBe("errors 3,logins 3");
});

test("an origin that is away is a 502, which is a failure only where `when` says so", async () => {
  for (const [when, expected] of [
    [[401], "login 5"],
    [[502], "login 4"],
  ] as const) {
    const rules = [{ path: "/*", policies: [login("login", 5, { when: { status: when } })] }];
    const gateway = await gatewayTo((path, response) => {
      if (path === "/gone") response.destroy();
      else response.end();
    }, rules);
    const answer = await gateway.ask("/gone");
    expect([answer.status, (await answer.text()).length > 0]).toEqual([502, true]);
    expect(await left(gateway, "/look")).toBe(expected);
  }
});

test("a client that hangs up in the middle cancels the origin's response, and the request settles", async () => {
  let closed: Promise<unknown> | undefined;
  const gateway = await gatewayTo((path, response) => {
    if (path === "/login/look") return response.end();
    closed = once(response, "close");
    return response.write("one");
  });
  const answer = await gateway.ask("/login/ada");
  const reader = answer.body!.getReader();
  expect(new TextDecoder().decode((await reader.read()).value)).toBe("one");
  await reader.cancel();
  await closed;
  expect(await left(gateway, "/login/look")).toBe(ALL);
});

test("a client that hangs up before the origin answers is counted as a failure, however often", async () => {
  const gateway = await gatewayTo((path, response) => {
    if (path === "/login/look") response.end();
    // Wrong passwords take their time.
    else setTimeout(() => withStatus(401)(path, response), 1_000).unref();
  });
  const statuses: number[] = [];
  for (let tried = 1; tried <= 8; tried++) {
    const hangUp = new AbortController();
    const answer = gateway.ask("/login/ada", { signal: hangUp.signal });
    if (tried <= 5) await vi.waitFor(() => expect(gateway.reached()).toBe(tried), 15_000);
    hangUp.abort();
    const { status, body } = await answer;
    statuses.push(status);
    await body?.cancel();
    await gateway.done();
  }
  expect(statuses).toEqual([502, 502, 502, 502, 502, 429, 429, 429]);
  expect(gateway.reached()).toBe(5);
});

test("an origin that breaks off fails the body, and the request settles", async () => {
  const gateway = await gatewayTo((path, response) => {
    if (path === "/login/look") return response.end();
    return response.write("one", () => response.destroy());
  });
  const answer = await gateway.ask("/login/ada");
  await expect(answer.text()).rejects.toThrow();
  expect(await left(gateway, "/login/look")).toBe(ALL);
});

const variables = { ORIGIN: "https://origin.example", STORE: "memory", CLIENT_IP: "cloudflare" };
const withLogin = (more: object) => ({
  ...variables,
  RULES: [{ path: "/login", policies: [login("login", 5, more)] }],
});

test.each<[policy: object, path: string, value: string, code: FaultCode]>([
  [{ when: 401 }, "when", "401", "shape"],
  [{ when: [401] }, "when", "[401]", "shape"],
  [{ when: {} }, "when.status", "missing", "shape"],
  [{ when: { status: [] } }, "when.status", "[]", "shape"],
  [{ when: { status: 401 } }, "when.status", "401", "shape"],
  [
    { when: { status: Array.from({ length: 33 }, (_, i) => 400 + i) } },
    "when.status",
    "[400,401,402,403,404,405,406,407,408,409,410,411,412,413,...",
    "shape",
  ],
  [{ when: { status: [401, 99] } }, "when.status[1]", "99", "range"],
  [{ when: { status: [600] } }, "when.status[0]", "600", "range"],
  [{ when: { status: ["401"] } }, "when.status[0]", '"401"', "range"],
  [{ when: { status: [401.5] } }, "when.status[0]", "401.5", "range"],
  [{ when: { status: [401], statuses: 5 } }, "when.statuses", "5", "unknown-option"],
  [{ counts: "requests", when: { status: [401] } }, "when", '{"status":[401]}', "without-effect"],
  [{ lease: "100ms" }, "counts", '"failures"', "conflict"],
  [{ refundable: true }, "refundable", "true", "unsupported"],
])("%j has a fault at %s", (policy, path, value, code) => {
  expectFault(withLogin(policy), `RULES[0].policies[0].${path}`, value, code);
  expect(faultsOf(withLogin({}))).toEqual([]);
});
