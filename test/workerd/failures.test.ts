import { env } from "cloudflare:workers";
import { Hono } from "hono";
import { expect, test } from "vitest";

import { rateLimit } from "../../src/hono.ts";
import { failures, fixedWindow } from "../../src/index.ts";
import { background, nextOf } from "../support/adapter/background.ts";

/** Of Workers, whose types this project does without. */
declare const WebSocketPair: new () => readonly [WebSocket, WebSocket];

test("rateLimit() settles by responses in workerd, on a real Redis", async () => {
  const { context, done } = background();
  const user = crypto.randomUUID();
  const app = new Hono().use(
    rateLimit({
      redis: {
        url: String(env["UPSTASH_REDIS_REST_URL"]),
        token: String(env["UPSTASH_REDIS_REST_TOKEN"]),
      },
      timeout: "10s",
      policies: [fixedWindow({ name: "login", counts: failures(), limit: 2, window: "30d" })],
      partition: () => user,
    }),
  );
  app.get("/stream", () => {
    // A stream of the platform's own, which never ends by itself.
    const { readable, writable } = new TransformStream<Uint8Array>();
    void writable.getWriter().write(new TextEncoder().encode("one"));
    return new Response(readable);
  });
  app.get(
    "/socket",
    () => new Response(null, { status: 101, webSocket: new WebSocketPair()[0] } as ResponseInit),
  );
  app.get("/:status", (c) => {
    const headers = { "Content-Length": "1" };
    return new Response("x", { status: Number(c.req.param("status")), headers });
  });
  const ask = (path: string) => app.request(path, {}, env, context);

  for (let i = 0; i < 3; i++) {
    expect(await (await ask("/200")).text()).toBe("x");
    await done();
  }
  for (let i = 0; i < 3; i++) {
    const reader = (await ask("/stream")).body!.getReader();
    expect(await nextOf(reader)).toBe("one");
    await reader.cancel();
    await done();
  }
  for (let i = 0; i < 3; i++) {
    const answer = await ask("/socket");
    expect([answer.status, (answer as { webSocket?: unknown }).webSocket]).toEqual([
      101,
      expect.anything(),
    ]);
    await done();
  }
  const statuses = [];
  for (let i = 0; i < 3; i++) {
    const answer = await ask("/401");
    statuses.push(answer.status);
    await answer.text();
    await done();
  }
  expect(statuses).toEqual([401, 401, 429]);
});
