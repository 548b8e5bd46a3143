import { Hono } from "hono";
import { expect, test } from "vitest";

import { concurrency, type Hold, memoryStore } from "../../src/index.ts";
import { background, nextOf, streamed } from "../support/adapter/background.ts";
import { limiterOf } from "./app.ts";

test("a slot is held until the response's body has ended, or its client has hung up", async () => {
  const { context, done } = background();
  const policies = [concurrency({ name: "streams", limit: 1, ttl: "24h" })];
  const app = new Hono().use(limiterOf({ policies }));
  const sources: ReturnType<typeof streamed>[] = [];
  app.get("/", () => {
    const source = streamed();
    sources.push(source);
    source.send("one");
    return new Response(source.body);
  });
  const ask = async () => app.request("/", {}, {}, context);
  for (const how of ["end", "hang up", "end"]) {
    const reader = (await ask()).body!.getReader();
    expect(await nextOf(reader)).toBe("one");
    expect((await ask()).status).toBe(429);
    if (how === "end") sources.at(-1)!.close();
    await (how === "end" ? nextOf(reader) : reader.cancel());
    await done();
  }
  expect(sources).toHaveLength(3);
});

test("a socket keeps its slot until its handler frees it, and so does a body whose chunks still pass", async () => {
  let nowUs = 0;
  const { context, done } = background();
  const store = memoryStore({ now: () => nowUs });
  const policies = [concurrency({ name: "sockets", limit: 1, ttl: "60s" })];
  const app = new Hono().use(limiterOf({ store, policies }));
  const holds: Pick<Hold, "release">[] = [];
  const source = streamed();
  app.get("/socket", (c) => {
    holds.push(c.var.rateLimit as Hold);
    return Object.defineProperty(new Response("socket"), "status", { value: 101 });
  });
  app.get("/", () => new Response(source.body));
  const ask = (path: string) => app.request(path, {}, {}, context);
  expect((await ask("/socket")).status).toBe(101);
  await done();
  expect((await ask("/socket")).status).toBe(429);
  await holds[0]!.release();
  const reader = (await ask("/")).body!.getReader();
  for (let i = 0; i < 5; i++) {
    nowUs += 40e6;
    source.send("chunk");
    await reader.read();
  }
  expect((await ask("/socket")).status).toBe(429);
  await reader.cancel();
  await done();
  expect((await ask("/socket")).status).toBe(101);
});

test("the answer to HEAD is cancelled, because its slot is free and its body is not read", async () => {
  const { context, done } = background();
  const policies = [concurrency({ name: "streams", limit: 1, ttl: "24h" })];
  const app = new Hono().use(limiterOf({ policies }));
  const sources: ReturnType<typeof streamed>[] = [];
  app.get("/", (c) => {
    const source = streamed();
    sources.push(source);
    return (c.var.rateLimit as Hold).stream(
      new Response(source.body, { headers: { "x-own": "1" } }),
    );
  });
  for (let i = 0; i < 3; i++) {
    const answer = await app.request("/", { method: "HEAD" }, {}, context);
    expect([answer.status, answer.headers.get("x-own"), answer.body]).toEqual([200, "1", null]);
    await done();
  }
  expect(sources.map(({ state }) => state.cancelled)).toEqual(Array(3).fill("HEAD"));
});
