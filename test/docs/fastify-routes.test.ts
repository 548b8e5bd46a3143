import { afterAll, expect, test } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/node.md").filter(({ language }) => language === "ts");
const perRoute = blocks.find(({ code }) => code.includes("/login"))!;
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
