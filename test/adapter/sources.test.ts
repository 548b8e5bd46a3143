import { Hono } from "hono";
import { describe, expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import * as hono from "../../src/hono.ts";
import { cookie, country, header, query, subnet } from "../../src/index.ts";
import type { SourceValues } from "../../src/partition/source.ts";
import { openMemoryStore } from "../../src/store/memory-store.ts";
import * as vercel from "../../src/vercel.ts";

type Ask = (path: string, headers?: Record<string, string>) => Promise<number>;

const optionsOf = (partition: SourceValues) => ({
  store: openMemoryStore(),
  policies: [fixedWindow({ limit: 1, window: "1h" })],
  partition,
  clientIp: "vercel" as const,
  onMissing: "share" as const,
});

/** Both kinds of middleware with these sources; each identity has a quota of one. */
function middleware(partition: SourceValues): readonly Ask[] {
  const app = new Hono()
    .use(hono.rateLimit(optionsOf(partition)))
    .get("*", (c) => c.text(c.var.rateLimit.allowed ? "hello" : ""));
  const limit = vercel.rateLimit(optionsOf(partition));
  return [
    async (path, headers) => (await app.request(path, { headers: headers ?? {} })).status,
    async (path, headers) =>
      (await limit(new Request(`https://shop.example${path}`, { headers: headers ?? {} }))).status,
  ];
}

describe("middleware of each kind", () => {
  test("counts by cookies, queries and the platform's word", async () => {
    for (const ask of middleware([cookie("sid"), query("key"), country()])) {
      expect([
        await ask("/", { cookie: "sid=a" }),
        await ask("/?key=a", { cookie: "sid=a" }),
        await ask("/?key=a"),
        await ask("/?b=1&key=%61"),
        await ask("/?key=b"),
        await ask("/", { "x-vercel-ip-country": "DE" }),
        await ask("/", { "x-vercel-ip-country": "DE" }),
        await ask("/?key=a&key=b", { "x-vercel-ip-country": "FR" }),
        await ask("/"),
        await ask("/"),
      ]).toEqual([200, 429, 200, 429, 200, 200, 429, 200, 200, 429]);
    }
  });

  test("has no rule whose path could be read", () => {
    const options = optionsOf(["path:id", "ip", ["ip", "subnets"]] as never);
    for (const rateLimit of [() => hono.rateLimit(options), () => vercel.rateLimit(options)]) {
      expect(rateLimit).toThrow(
        /has 2 faults:\n  partition\[0\]: "path:id": Give a function that returns the identity: only a rule of the gateway has a path with names\.\n  partition\[2\]\[1\]: "subnets": Did you mean `subnet`\?/,
      );
    }
  });

  test("names the sources that a request has none of", async () => {
    const log = vi.spyOn(console, "warn").mockImplementation(() => {});
    const app = new Hono().use(
      hono.rateLimit({
        ...optionsOf([query("key"), [subnet(), header("x-agent")]]),
        clientIp: "cloudflare",
        onMissing: undefined as never,
      }),
    );
    await app.request("/");
    expect(log.mock.calls.flat().join()).toMatch(
      /a request has none of query:key, subnet with header:x-agent: .* clientIp is "cloudflare"/,
    );
    log.mockRestore();
  });
});
