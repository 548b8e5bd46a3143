import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { unstable_readConfig } from "wrangler";

import { createGateway } from "../../src/gateway/gateway.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { codeBlocks } from "./code-blocks.ts";

const folder = resolve(".tmp/lists");
beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2029-12-31T00:00:00Z") });
});
afterAll(() => {
  vi.useRealTimers();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const reasonOf = (response: Response) => response.headers.get("X-RateLimit-Reason");

test("the guide's lists exempt and refuse who they name", async () => {
  const { code } = codeBlocks("docs/gateway.md").find((block) =>
    block.code.includes("[vars.LISTS]"),
  )!;
  const config = join(folder, "wrangler.toml");
  writeFileSync(config, `name = "guide"\n${code}`);
  const { url } = await startOrigin();
  const gateway = createGateway({
    ...unstable_readConfig({ config }).vars,
    ORIGIN: url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: [{ path: "/*", policies: [{ algorithm: "fixed-window", limit: 9, window: "1d" }] }],
  });
  const ask = async (address: string, fields: object = {}, cf: object = {}) => {
    const headers = { "cf-connecting-ip": address, ...fields };
    const request = Object.assign(new Request("https://a.example/", { headers }), { cf });
    return reasonOf(await gateway.fetch(request));
  };
  expect(await ask("192.0.2.200")).toBe("exempt");
  expect(await ask("203.0.113.1", { "x-user-id": "42" }, { country: "KP" })).toBe("exempt");
  expect(await ask("203.0.113.1", { "x-user-id": "43" }, { country: "KP" })).toBe("blocked");
  expect(await ask("203.0.113.1", {}, { asn: 64496, country: "CH" })).toBe("blocked");
  expect(await ask("2001:db8::1", {}, { country: "CH" })).toBe("blocked");
  expect(await ask("203.0.113.1", {}, { asn: 1, country: "CH" })).toBeNull();
  vi.setSystemTime(Date.parse("2030-01-01T00:00:00Z"));
  expect(await ask("203.0.113.1", { "x-user-id": "42" }, { country: "KP" })).toBe("blocked");
});

test("the example of docs/options.md exempts and refuses who it names", async () => {
  const { code } = codeBlocks("docs/options.md").find((block) => block.code.includes("lists: {"))!;
  const file = join(folder, "example.ts");
  writeFileSync(file, code);
  const { default: app } = (await import(file)) as {
    default: { request(path: string, init: RequestInit): Promise<Response> };
  };
  const ask = async (headers: Record<string, string>) =>
    reasonOf(await app.request("/", { headers }));
  expect(await ask({ "cf-connecting-ip": "192.0.2.1" })).toBe("exempt");
  expect(await ask({ "cf-connecting-ip": "192.0.3.1" })).toBe("blocked");
  expect(await ask({ "cf-connecting-ip": "192.0.3.1", "x-user-id": "42" })).toBe("exempt");
  // A Redis that answers too late is none of the lists' reasons either.
  const unlisted = await ask({ "cf-connecting-ip": "192.1.0.1", "x-user-id": "43" });
  expect(["exempt", "blocked"]).not.toContain(unlisted);
});
