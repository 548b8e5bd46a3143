import { Hono } from "hono";
import { expect, test, vi } from "vitest";

import { rateLimit } from "../../src/hono.ts";
import {
  createLimiter,
  type Decision,
  type DecisionInfo,
  fixedWindow,
  lists,
  memoryStore,
} from "../support/limiter/plain.ts";

const POLICY = fixedWindow({ name: "api", limit: 2, window: "1h", refundable: true });

/** The decisions that a listener got, in order. */
function listen() {
  const told: string[] = [];
  const onDecision = ({ reason }: Decision, { operation, identity }: DecisionInfo) =>
    void told.push(`${operation} ${JSON.stringify(identity)} ${reason}`);
  return { told, onDecision };
}

test("a limiter reports each decision once, with its subject", async () => {
  const { told, onDecision } = listen();
  const lists = { deny: [{ identity: "eve" }] };
  const limiter = createLimiter({ policies: [POLICY], store: memoryStore(), onDecision, lists });
  await limiter.limit("ada");
  await limiter.peek("ada");
  await limiter.reserve("ada");
  await limiter.charge("ada", 1);
  await limiter.limit("ada");
  await limiter.limit("eve");
  await limiter.reset("ada");
  expect(told).toEqual([
    'limit "ada" allowed',
    'peek "ada" allowed',
    'reserve "ada" allowed',
    'charge "ada" limited',
    'limit "ada" limited',
    'limit "eve" blocked',
  ]);
});

test("a middleware tells each decision once, also one of a list", async () => {
  const { told, onDecision } = listen();
  const app = new Hono();
  app.use(
    rateLimit({
      policies: [fixedWindow({ name: "api", limit: 1, window: "1h" })],
      store: memoryStore(),
      clientIp: "cloudflare",
      lists: lists({ allow: [{ cidr: "198.51.100.0/24" }] }),
      onDecision,
    }),
  );
  app.get("/", (c) => c.text("ok"));
  for (const ip of ["192.0.2.1", "192.0.2.1", "198.51.100.1"]) {
    await app.request("/", { headers: { "cf-connecting-ip": ip } });
  }
  expect(told.map((each) => each.replace(/\{.*\}/, "who"))).toEqual([
    "limit who allowed",
    expect.stringMatching(/^limit who (?:limited|cached-denial)$/),
    "limit undefined exempt",
  ]);
  expect(told[0]).toContain("ip:192.0.2.1");
});

test.each([
  [
    "throws",
    () => {
      throw new Error("broken");
    },
  ],
  [
    "rejects",
    async () => {
      throw new Error("broken");
    },
  ],
])("a listener that %s changes no decision, and is reported once", async (_, onDecision) => {
  const warned = vi.spyOn(console, "warn").mockImplementation(() => {});
  const limiter = createLimiter({ policies: [POLICY], store: memoryStore(), onDecision });
  const allowed: boolean[] = [];
  for (let i = 0; i < 4; i++) allowed.push((await limiter.limit("ada")).allowed);
  expect(allowed).toEqual([true, true, false, false]);
  expect(warned.mock.calls).toEqual([["tidegate: onDecision failed: Error: broken"]]);
  warned.mockRestore();
});

test("a listener that is no function is a fault", () => {
  const options = { policies: [POLICY], store: memoryStore(), onDecision: "log" as never };
  expect(() => createLimiter(options)).toThrow(/onDecision: "log": Give a function/);
});
