import { Hono } from "hono";
import { cors } from "hono/cors";
import { HTTPException } from "hono/http-exception";
import { describe, expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import { limiterOf } from "./app.ts";

const limiter = (name: string, limit: number) =>
  limiterOf({
    store: openMemoryStore({ now: () => 1_800_000_000e6 }),
    policies: [fixedWindow({ name, limit, window: "1m" })],
  });

describe("the fields of the decision", () => {
  test("of stacked limiters stand side by side, the X-RateLimit ones are of the inner", async () => {
    const app = new Hono()
      .use(limiter("outer", 100), limiter("inner", 10))
      .get("/", (c) => c.text("hello"));
    const { headers } = await app.request("/");
    expect(headers.get("RateLimit")).toBe('"inner";r=9;t=60, "outer";r=99;t=60');
    expect(headers.get("RateLimit-Policy")).toBe('"inner";q=10;w=60, "outer";q=100;w=60');
    expect(headers.get("X-RateLimit-Limit")).toBe("10");
    expect(headers.get("X-RateLimit-Remaining")).toBe("9");
  });

  test("of an outer limiter are told with an inner one's denial, whose wait counts", async () => {
    const app = new Hono()
      .use(limiter("outer", 100), limiter("inner", 1))
      .get("/", (c) => c.text("hello"));
    await app.request("/");
    const { status, headers } = await app.request("/");
    expect(status).toBe(429);
    expect(headers.get("RateLimit")).toBe('"inner";r=0;t=60, "outer";r=98;t=60');
    expect(headers.get("X-RateLimit-Limit")).toBe("1");
    expect(headers.get("Retry-After")).toBe("60");
  });

  test("are told with an immutable response of fetch", async () => {
    const fetched = await fetch("data:text/plain,hello");
    expect(() => fetched.headers.set("X", "1")).toThrow(TypeError);
    const app = new Hono().use(limiter("ours", 10)).get("/", () => fetched);
    const answer = await app.request("/");
    expect(await answer.text()).toBe("hello");
    expect(answer.headers.get("RateLimit")).toBe('"ours";r=9;t=60');
    expect(answer.headers.get("Content-Type")).toBe("text/plain");
  });

  test.each([204, 205, 304])("are told with a response without a body: %d", async (status) => {
    const app = new Hono()
      .use(limiter("ours", 10))
      .get("/", () => new Response(null, { status, headers: { ETag: '"x"' } }));
    const answer = await app.request("/");
    expect([answer.status, answer.headers.get("ETag")]).toEqual([status, '"x"']);
    expect(answer.headers.get("RateLimit")).toBe('"ours";r=9;t=60');
  });

  test("are told when the handler throws, or there is none", async () => {
    const app = new Hono()
      .use(limiter("ours", 10))
      .get("/error", () => {
        throw new Error("broken");
      })
      .get("/exception", () => {
        throw new HTTPException(418, { message: "teapot" });
      });
    app.onError((error, c) =>
      error instanceof HTTPException ? error.getResponse() : c.text("failed", 500),
    );
    const tell = async (path: string) => {
      const { status, headers } = await app.request(path);
      return [status, headers.get("RateLimit")];
    };
    expect(await tell("/error")).toEqual([500, '"ours";r=9;t=60']);
    expect(await tell("/exception")).toEqual([418, '"ours";r=8;t=60']);
    expect(await tell("/missing")).toEqual([404, '"ours";r=7;t=60']);
  });

  test("keep every cookie of the handler", async () => {
    const app = new Hono().use(limiter("ours", 10)).get("/", (c) => {
      c.header("Set-Cookie", "a=1", { append: true });
      c.header("Set-Cookie", "b=2", { append: true });
      return c.text("hello");
    });
    expect((await app.request("/")).headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  test("do not hold up a body that is still being written", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const app = new Hono().use(limiter("ours", 10)).get("/", () => new Response(readable));
    const writer = writable.getWriter();

    const answer = await app.request("/");
    const reader = answer.body!.getReader();
    const [{ value }] = await Promise.all([
      reader.read(),
      writer.write(new TextEncoder().encode("first")),
    ]);
    expect(new TextDecoder().decode(value)).toBe("first");
    const [last] = await Promise.all([reader.read(), writer.close()]);
    expect(last.done).toBe(true);
  });

  test("of a denial reach a browser when cors() comes before", async () => {
    const app = new Hono()
      .use(cors({ origin: "https://app.example" }), limiter("ours", 1))
      .get("/", (c) => c.text("hello"));
    const ask = () => app.request("/", { headers: { Origin: "https://app.example" } });
    await ask();
    const { status, headers } = await ask();
    expect(status).toBe(429);
    expect(headers.get("Access-Control-Allow-Origin")).toBe("https://app.example");
    expect(headers.get("RateLimit")).toBe('"ours";r=0;t=60');
  });
});
