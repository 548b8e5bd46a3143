import type { AddressInfo } from "node:net";

import type { Express } from "express";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";

import type { Decision } from "../../src/index.ts";
import { codeBlocks } from "./code-blocks.ts";
import { writeBlocks } from "./typed-blocks.ts";

const blocks = codeBlocks("docs/moving/express-rate-limit.md").filter(
  ({ language }) => language === "ts",
);
const typed = writeBlocks("moving", blocks);
afterAll(typed.remove);

interface Moved {
  readonly app: Express;
  readonly getKey: (user: string) => Promise<Decision>;
  readonly resetKey: (user: string) => Promise<void>;
}
let moved: Moved;
beforeAll(async () => {
  moved = (await typed.run(blocks.at(-1)!.line)) as Moved;
});

test("the app of docs/moving/express-rate-limit.md counts no failed request, and answers as before", async () => {
  const server = moved.app.listen(0);
  onTestFinished(() => void server.close());
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const ask = (path: string) => fetch(base + path, { headers: { "x-user": "ada" } });

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
