import { once } from "node:events";
import type { Socket } from "node:net";

import { describe, expect, inject, test, vi } from "vitest";

import { failures, refundable } from "../../src/index.ts";
import { concurrency, createLimiter, fixedWindow, segmentedWindow } from "../../src/index.ts";
import { type Exchange, FRAMEWORKS, requestFrom, serve } from "./apps.ts";

const redis = () => ({
  redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
  timeout: "10s" as const,
});

const logins = (limit: number) => [
  segmentedWindow({ name: "login", counts: failures(), limit, window: "30d" }),
];

/** A limiter on the same counts, to look at them. */
function lookerAt(policy: Parameters<typeof createLimiter>[0]["policies"][number], user: string) {
  const looker = createLimiter({ ...redis(), policies: [policy], denialCache: false });
  return async () => (await looker.peek(user)).policies[0]!.remaining;
}

describe.for(FRAMEWORKS)("holds of requests in %s, on a real Redis", ([, create]) => {
  test("comes back when the response was no failure", async () => {
    const user = crypto.randomUUID();
    const url = await serve(create, { ...redis(), policies: logins(20), partition: () => user });
    for (const path of ["/200", "/204", "/401", "/500", "/404", "/403"]) await fetch(url + path);
    // Settled once it has ended, which its client may see a little earlier.
    await vi.waitFor(async () => {
      const { headers } = await fetch(`${url}/200`);
      expect(headers.get("X-RateLimit-Remaining")).toBe("17");
    });
  });

  test("stays as a handler has settled it", async () => {
    const user = crypto.randomUUID();
    const tokens = fixedWindow({
      name: "tokens",
      limit: 100,
      window: "30d",
      refundable: refundable(),
    });
    const url = await serve(
      create,
      { ...redis(), policies: [tokens], partition: () => user, cost: 50 },
      async ({ decision, send }) => {
        if ("settle" in decision) await decision.settle({ tokens: 8 });
        send(200, "done");
      },
    );
    await (await fetch(url)).text();
    expect(await lookerAt(tokens, user)()).toBe(92);
  });

  test("is a failure where the client hangs up before a handler has answered 401", async () => {
    const user = crypto.randomUUID();
    const [login] = logins(2);
    const asked = Promise.withResolvers<Exchange>();
    const url = await serve(
      create,
      { ...redis(), policies: [login!], partition: () => user },
      asked.resolve,
    );
    const { hangUp } = requestFrom("127.0.0.1", url);
    const { raw, send } = await asked.promise;
    const closed = once(raw, "close");
    hangUp();
    await closed;
    send(401, "wrong password");
    const looker = await serve(create, { ...redis(), policies: [login!], partition: () => user });
    const { headers } = await fetch(looker);
    expect(headers.get("X-RateLimit-Remaining")).toBe("0");
  });

  test("keeps its slot while a handler is at work, also for a client that has hung up, and until a stream ends", async () => {
    const user = crypto.randomUUID();
    const slots = concurrency({ name: "slots", limit: 1, ttl: "1h" });
    const exchanges: Exchange[] = [];
    const url = await serve(
      create,
      { ...redis(), policies: [slots], partition: () => user, denialCache: false },
      (exchange) => void exchanges.push(exchange),
    );
    const statusOfNext = async () => {
      const next = requestFrom("127.0.0.1", url);
      const reached = exchanges.length + 1;
      return Promise.race([
        next.status,
        vi.waitFor(() => {
          if (exchanges.length < reached) throw new Error("waiting");
          return "handled";
        }),
      ]);
    };

    const first = requestFrom("127.0.0.1", url);
    await vi.waitFor(() => expect(exchanges).toHaveLength(1));
    expect(await statusOfNext()).toBe(429);

    const closed = once(exchanges[0]!.raw, "close");
    first.hangUp();
    await closed;
    expect(await statusOfNext()).toBe(429);
    exchanges[0]!.send(200, "too late");
    await vi.waitFor(async () => expect(await statusOfNext()).toBe("handled"));

    // A stream, whose slot is free when its reader hangs up.
    const streaming = exchanges.at(-1)!;
    streaming.raw.writeHead(200);
    streaming.raw.write("chunk");
    expect(await statusOfNext()).toBe(429);
    streaming.raw.destroy();
    await vi.waitFor(async () => expect(await statusOfNext()).toBe("handled"));
  });

  test("gives its slot back for a client that has hung up before its request got here", async () => {
    const user = crypto.randomUUID();
    const slots = concurrency({ name: "slots", limit: 1, ttl: "1h" });
    const closed = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    // The code before the limiter works until the client has gone.
    const slow = async (request: { readonly headers: object; readonly socket?: Socket }) => {
      request.socket!.once("close", closed.resolve);
      arrived.resolve();
      await closed.promise;
      return user;
    };
    const asked = Promise.withResolvers<Exchange>();
    const before = fixedWindow({ name: "before", limit: 100, window: "30d" });
    const url = await serve(
      create,
      [
        { ...redis(), policies: [before], partition: slow },
        { ...redis(), policies: [slots], partition: () => user },
      ],
      asked.resolve,
    );
    const { hangUp } = requestFrom("127.0.0.1", url);
    await arrived.promise;
    hangUp();
    const { send, decision } = await asked.promise;
    expect(decision.allowed).toBe(true);
    const remaining = lookerAt(slots, user);
    expect(await remaining()).toBe(0);
    send(200, "too late");
    await vi.waitFor(async () => expect(await remaining()).toBe(1));
  });
});
