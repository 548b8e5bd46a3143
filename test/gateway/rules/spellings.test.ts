import { once } from "node:events";
import { Agent, createServer, type IncomingMessage, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { startWorker, type Worker } from "../../../scripts/local-stack/worker.ts";
import { createGateway } from "../../../src/gateway/gateway.ts";
import { quota } from "../../support/gateway/gateway.ts";
import { listenTo } from "../../support/gateway/serve.ts";
import { runs } from "../../support/runs.ts";
import { type Crowd, type Reached, startCrowd } from "../origins/crowd.ts";
import { RULES } from "../origins/routes.ts";
import { HONEST, spellingsOf } from "../origins/spellings.ts";

/** So large that only the count of units says anything. */
const PLENTY = 1_000_000;

const variables = (origin: string) => ({
  ORIGIN: origin,
  STORE: "memory",
  CLIENT_IP: "cloudflare",
  RULES: RULES.map(({ name, method, path }) => ({ method, path, policies: [quota(name, PLENTY)] })),
});

interface Answer {
  readonly target: string;
  readonly status: number;
  /** The rules that limited the request, by the names of their policies. */
  readonly limitedBy: readonly string[];
  /** The handlers that it reached, by origin; empty if the gateway answered. */
  readonly reached: Reached;
}

const agent = new Agent({ keepAlive: true, maxSockets: 16 });
let crowd: Crowd;
beforeAll(async () => {
  crowd = await startCrowd();
});
afterAll(async () => {
  agent.destroy();
  await crowd?.stop();
});

/** Sends each target as it stands, a few at once. */
async function askAll(url: string, targets: readonly string[]): Promise<readonly Answer[]> {
  const { hostname, port } = new URL(url);
  return Promise.all(
    targets.map(async (target) => {
      const headers = { "content-length": 0, "cf-connecting-ip": "192.0.2.1" };
      const options = { hostname, port, agent, method: "POST", path: target, headers };
      const [response] = (await once(request(options).end(), "response")) as [IncomingMessage];
      const [body, policies] = [await text(response), response.headers["ratelimit-policy"] ?? ""];
      const status = response.statusCode!;
      return {
        target,
        status,
        limitedBy: [...String(policies).matchAll(/"([a-z]+)"/g)].map(([, name]) => name!),
        reached: status === 200 ? (JSON.parse(body) as Reached) : {},
      };
    }),
  );
}

/** `/api//login reached login of koa` for each handler that a request reached and that no rule counted. */
function escaped(answers: readonly Answer[]): readonly string[] {
  return answers.flatMap(({ target, limitedBy, reached }) =>
    Object.entries(reached)
      .filter(([, handler]) => !limitedBy.includes(handler))
      .map(([origin, handler]) => `${target} reached ${handler} of ${origin}`),
  );
}

const reachedAny = (answers: readonly Answer[]) =>
  answers.filter(({ reached }) => Object.keys(reached).length > 0).length;

/** Every origin was reached, many times, and some requests were refused: there was something to get wrong. */
function expectTried(answers: readonly Answer[]): void {
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 400]));
  expect(reachedAny(answers)).toBeGreaterThan(answers.length / 15);
  const origins = new Set(answers.flatMap(({ reached }) => Object.keys(reached)));
  expect([...origins]).toEqual(expect.arrayContaining([...crowd.names]));
}

/** What people send passes, limited by its rule and no other. */
async function expectHonestPass(url: string): Promise<void> {
  const answers = await askAll(
    url,
    HONEST.map(([target]) => target),
  );
  expect(
    answers.map(({ target, status, limitedBy }) => [target, status, limitedBy.join()]),
  ).toEqual(HONEST.map(([target, rule]) => [target, 200, rule]));
  expect(escaped(answers)).toEqual([]);
}

/** Segments of dots that the platform resolves, as it does before any code sees a request. */
async function expectResolved(url: string): Promise<void> {
  const targets = [
    "/a/%2e%2e/api/login",
    "/api/x/.%2E/login",
    "/api/%2e/login",
    "/x/%2e%2e/%2E%2e/api/login",
  ];
  for (const { target, status, limitedBy, reached } of await askAll(url, targets)) {
    expect([target, status, limitedBy]).toEqual([target, 200, ["login"]]);
    expect([target, [...new Set(Object.values(reached))]]).toEqual([target, ["login"]]);
  }
}

describe("the deployed worker in workerd", () => {
  let worker: Worker;
  beforeAll(async () => {
    worker = await startWorker({ variables: variables(crowd.url), onLog: () => {} });
  });
  afterAll(() => worker?.stop());

  test.each([
    ["/api/login", runs(3_200), 1],
    ["/api/rides/7", runs(1_500), 2],
    ["/projects/tide", runs(500), 3],
  ])(
    "no spelling of %s reaches a handler of any origin that no rule counted, of %d",
    { timeout: 120_000 },
    async (path, count, seed) => {
      const answers = await askAll(worker.url, spellingsOf(path, count, seed));
      expect(escaped(answers)).toEqual([]);
      expectTried(answers);
    },
  );

  test("usual requests pass, limited by their rule and no other", () =>
    expectHonestPass(worker.url));

  test("dots that the platform resolves are limited and passed on as what is left", () =>
    expectResolved(worker.url));
});

describe.each([
  ["that refuses what is ambiguous", "refuse"],
  ["that passes what is ambiguous", "pass"],
])("a gateway in Node %s", (_what, ambiguous) => {
  let server: Server;
  let url: string;
  beforeAll(async () => {
    const gateway = createGateway({ ...variables(crowd.url), AMBIGUOUS_PATHS: ambiguous });
    server = createServer(listenTo((asked) => gateway.fetch(asked)));
    await once(server.listen(0, "127.0.0.1"), "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server?.closeAllConnections();
    server?.close();
  });

  test(
    "lets no spelling reach a handler of any origin that no rule counted",
    { timeout: 120_000 },
    async () => {
      const answers = await askAll(url, spellingsOf("/api/login", runs(1_500), 4));
      expect(escaped(answers)).toEqual([]);
      expectTried(answers);
    },
  );

  test("passes usual requests, limited by their rule and no other", () => expectHonestPass(url));

  test("limits and passes on what is left of dots that the platform resolves", () =>
    expectResolved(url));
});
