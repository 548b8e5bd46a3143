import type { AddressInfo } from "node:net";

import type { Express } from "express";
import { afterAll, expect, onTestFinished, test } from "vitest";

import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const login = codeBlocks("docs/node.md").find(({ code }) => code.includes("failures("))!;
const typed = writeBlocks("express-login", [login]);
afterAll(typed.remove);

test("the login of docs/node.md counts failures only, and tells a short wait and the true reset", async () => {
  const { app } = await typed.run<{ readonly app: Express }>(login.line);
  const server = app.listen(0);
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/login`;
  const ask = async (authorization: string) => {
    const response = await fetch(url, { method: "POST", headers: { authorization } });
    await response.body?.cancel();
    return response;
  };
  const statusOf = async (authorization: string) => (await ask(authorization)).status;

  for (let i = 0; i < 10; i++) expect(await statusOf("the right one")).toBe(200);
  for (let i = 0; i < 5; i++) expect(await statusOf("a wrong one")).toBe(401);
  const denied = await ask("the right one");
  expect([denied.status, denied.headers.get("Retry-After")]).toEqual([429, "1"]);
  const waitS = Number(denied.headers.get("X-RateLimit-Reset")) - Date.now() / 1000;
  expect(waitS).toBeGreaterThan(500);
});
