import fastify4 from "fastify4";
import fastify5 from "fastify5";
import { afterAll, expect, test, vi } from "vitest";

import { rateLimit, type RateLimited } from "../../src/fastify.ts";
import { fixedWindow, memoryStore } from "../../src/index.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/node.md").filter(({ language }) => language === "ts");
const perRoute = blocks.find(({ code }) => code.includes("logins.post"))!;
// This project has two versions, under names of their own.
const code = perRoute.code.replace('from "fastify"', 'from "fastify5"');
const typed = writeBlocks("fastify-routes", [{ ...perRoute, code }]);
afterAll(typed.remove);

interface App {
  inject(asked: {
    readonly method: "GET" | "POST";
    readonly url: string;
  }): Promise<{ readonly statusCode: number; readonly headers: object }>;
  close(): Promise<void>;
}

test("the routes of docs/node.md have the limits that it says", async () => {
  const { app } = await typed.run<{ readonly app: App }>(perRoute.line);
  const logins: number[] = [];
  for (let i = 0; i < 10; i++) {
    logins.push((await app.inject({ method: "POST", url: "/login" })).statusCode);
  }
  expect(logins).toEqual([200, 200, 200, 200, 200, 429, 429, 429, 429, 429]);
  const rides = await app.inject({ method: "GET", url: "/rides" });
  expect(rides.statusCode).toBe(200);
  expect(rides.headers).toHaveProperty("ratelimit");
  for (let i = 0; i < 30; i++) {
    const health = await app.inject({ method: "GET", url: "/health" });
    expect(health.statusCode).toBe(200);
    expect(health.headers).not.toHaveProperty("ratelimit");
  }
  await app.close();
});

test.for([
  ["4", fastify4],
  ["5", fastify5],
] as const)(
  "in Fastify %s a plugin limits earlier routes and 404s, and each limiter decides alone",
  async ([, fastify]) => {
    const limited = (name: string, limit: number) => ({
      store,
      clientIp: "socket" as const,
      policies: [fixedWindow({ name, limit, window: "30d" })],
    });
    const namesOf = (request: object) =>
      (request as { rateLimit: RateLimited["rateLimit"] }).rateLimit.policies.map(
        ({ name }) => name,
      );
    const store = memoryStore();
    const app = (fastify as typeof fastify5)();
    app.get("/early", namesOf);
    await app.register(rateLimit, limited("outer", 100));
    const config = { rateLimit: { max: 1, timeWindow: "1 day" } };
    app.get("/late", { config }, namesOf);
    await app.register(async (inner) => {
      await inner.register(rateLimit, limited("inner", 1));
      inner.get("/in", namesOf);
    });

    /** The status, the units left in `outer`, and the body. */
    const ask = async (url: string) => {
      const { statusCode, headers, body } = await app.inject({ method: "GET", url });
      const left = /"outer";r=(\d+)/.exec(String(headers["ratelimit"]))?.[1];
      return [statusCode, Number(left), statusCode === 200 ? JSON.parse(body) : undefined];
    };
    expect(await ask("/early")).toEqual([200, 99, ["outer"]]);
    expect(await ask("/late")).toEqual([200, 98, ["outer"]]);
    expect(await ask("/late")).toEqual([200, 97, ["outer"]]);
    expect(await ask("/missing")).toEqual([404, 96, undefined]);
    expect(await ask("/in")).toEqual([200, 95, ["inner"]]);
    expect(await ask("/in")).toEqual([429, 94, undefined]);
    await app.close();
  },
);

test.for([["4", fastify4] as const, ["5", fastify5] as const])(
  "Fastify %s: a route with the option of @fastify/rate-limit is told in the log, once",
  async ([version, create]) => {
    const warn = vi
      .spyOn(console, "warn")
      .mockReset()
      .mockImplementation(() => {});
    const app = (create as typeof fastify5)();
    const policies = [fixedWindow({ limit: 9, window: "1h" })];
    await app.register(rateLimit, { store: memoryStore(), policies, clientIp: "socket" });
    const url = `/in-${version}`;
    app.get(url, { config: { rateLimit: { max: 1 } } as never }, async () => "hello");
    app.get("/", async () => "hello");
    for (const path of ["/", url, url]) await app.inject(path);
    expect(warn.mock.calls).toEqual([
      [
        `tidegate: config.rateLimit of the route ${url} has no effect: register rateLimit on an instance of its own for this route.`,
      ],
    ]);
    await app.close();
  },
);
