import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { describe, expect, test } from "vitest";

import { tidegateStorage } from "../../src/better-auth.ts";
import {
  countedRedis,
  noRedis,
  ownPrefix,
  quietly,
  redisByDate,
  standStill,
} from "./clocked-redis.ts";

const EACH = [
  ["its memory", () => ({ storage: "memory" as const })],
  [
    "tidegateStorage()",
    () => ({
      customStorage: tidegateStorage({ redis: redisByDate(), prefix: ownPrefix(), timeout: "20s" }),
    }),
  ],
] as const;

/** Addresses that no other test has: better-auth's memory is one for a process. */
let clients = 0;

type Place = ReturnType<(typeof EACH)[number][1]>;

function authOf(place: Place) {
  const auth = betterAuth({
    baseURL: "http://localhost:3000",
    secret: "a-secret-of-thirty-two-characters-or-more",
    database: memoryAdapter({}),
    logger: { disabled: true },
    telemetry: { enabled: false },
    advanced: { ipAddress: { ipAddressHeaders: ["x-client"] } },
    rateLimit: { enabled: true, window: 10, max: 3, ...place },
  });
  return (client: string) =>
    auth.handler(
      new Request("http://localhost:3000/api/auth/ok", { headers: { "x-client": client } }),
    );
}

describe.for(EACH)("better-auth on %s", ([, placeOf]) => {
  test("lets the limit pass, says how long to wait, and begins anew after the window", async () => {
    const clock = standStill();
    const send = authOf(placeOf());
    const [ada, bob] = [`198.51.100.${++clients}`, `198.51.100.${++clients}`];
    const expectAnswer = async (client: string, step: number, status: number, wait?: string) => {
      clock.pass(step);
      const answer = await send(client);
      expect([answer.status, answer.headers.get("X-Retry-After")]).toEqual([status, wait ?? null]);
    };
    for (let i = 0; i < 3; i++) await expectAnswer(ada, 0, 200);
    await expectAnswer(ada, 4_500, 429, "6");
    await expectAnswer(bob, 0, 200);
    await expectAnswer(ada, 5_499, 429, "1");
    await expectAnswer(ada, 1, 200);
  });
});

describe("tidegateStorage()", () => {
  const opened = () => {
    const { redis, sent } = countedRedis();
    return { storage: tidegateStorage({ redis, prefix: ownPrefix(), timeout: "10s" }), sent };
  };

  test("admits no more than the limit of requests that come at once", async () => {
    const { storage } = opened();
    const all = Array.from({ length: 30 }, () => storage.consume("ada", { window: 60, max: 5 }));
    const allowed = (await Promise.all(all)).filter((each) => each.allowed);
    expect(allowed).toHaveLength(5);
  });

  test("sends one command for a request, and none for a client that it knows to be denied", async () => {
    const { storage, sent } = opened();
    await storage.consume("bob", { window: 60, max: 2 });
    const before = sent();
    // The answer to the second says that there is no room for another.
    for (let i = 0; i < 5; i++) await storage.consume("ada", { window: 60, max: 2 });
    expect(sent() - before).toBe(2);
  });

  test("keeps the count when a rule gets another limit, and denies all with 0", async () => {
    const { storage } = opened();
    await storage.consume("ada", { window: 60, max: 1 });
    expect(await storage.consume("ada", { window: 60, max: 2 })).toEqual({
      allowed: true,
      retryAfter: null,
    });
    expect((await storage.consume("ada", { window: 60, max: 2 })).allowed).toBe(false);
    expect(await storage.consume("ada", { window: 60, max: 0 })).toEqual({
      allowed: false,
      retryAfter: 60,
    });
  });

  test("counts here without a Redis, or rejects", async () => {
    quietly();
    const local = tidegateStorage({ redis: noRedis });
    const rule = { window: 60, max: 1 };
    expect((await local.consume("ada", rule)).allowed).toBe(true);
    expect((await local.consume("ada", rule)).allowed).toBe(false);
    const failing = tidegateStorage({ redis: noRedis, onFailure: "error" });
    await expect(failing.consume("ada", rule)).rejects.toThrow();
  });
});
