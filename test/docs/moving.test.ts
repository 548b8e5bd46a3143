import type { AddressInfo } from "node:net";

import express, { type Express } from "express";
import { afterAll, beforeEach, expect, onTestFinished, test } from "vitest";

import { rateLimit } from "../../src/express.ts";
import { type Decision, failures, fixedWindow, memoryStore } from "../../src/index.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/moving/express-rate-limit.md").filter(
  ({ language }) => language === "ts",
);
const typed = writeBlocks("moving", blocks);
afterAll(typed.remove);

interface Moved {
  readonly FAILURE: readonly number[];
  readonly app: Express;
  readonly getKey: (user: string) => Promise<Decision>;
  readonly resetKey: (user: string) => Promise<void>;
}
let moved: Moved;
beforeEach(async () => {
  moved = (await typed.run(blocks.at(-1)!.line)) as Moved;
});

/** Serves an app, to which one client sends requests. */
function askerOf(app: Express): (path: string) => Promise<Response> {
  const server = app.listen(0);
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return (path) => fetch(base + path, { headers: { "x-user": "ada" } });
}

test("the app of docs/moving/express-rate-limit.md counts no failed request, and answers as before", async () => {
  const ask = askerOf(moved.app);

  for (let i = 0; i < 20; i++) expect((await ask("/missing")).status).toBe(404);
  for (let i = 0; i < 100; i++) expect((await ask("/rides")).status).toBe(200);
  const denied = await ask("/rides");
  expect(denied.status).toBe(429);
  expect(await denied.text()).toBe("Too many requests, please try again later.");
  expect(denied.headers.get("retry-after")).not.toBeNull();

  expect((await moved.getKey("ada")).policies[0]!.remaining).toBe(0);
  await moved.resetKey("ada");
  expect((await moved.getKey("ada")).policies[0]!.remaining).toBe(100);
  expect((await ask("/rides")).status).toBe(200);
});

test("with the page's list of failures no success counts, and `headers` leaves the legacy fields out", async () => {
  const app = express();
  const counts = failures({ status: moved.FAILURE });
  app.use(
    rateLimit({
      store: memoryStore(),
      policies: [fixedWindow({ name: "api", limit: 3, window: "30d", counts })],
      clientIp: "socket",
      headers: { "x-ratelimit": false },
    }),
  );
  app.get("/rides", (_request, response) => void response.json([]));
  const ask = askerOf(app);

  for (let i = 0; i < 10; i++) expect((await ask("/rides")).status).toBe(200);
  for (let i = 0; i < 3; i++) expect((await ask("/missing")).status).toBe(404);
  const denied = await ask("/rides");
  expect(denied.status).toBe(429);
  expect(denied.headers.has("ratelimit")).toBe(true);
  expect(denied.headers.has("x-ratelimit-limit")).toBe(false);
});
