import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, afterEach, beforeAll, expect, inject, test, vi } from "vitest";

import { startOrigin } from "../support/gateway/gateway.ts";
import { startIssuer, unsigned } from "../support/jwt/issuer.ts";
import { codeBlocks } from "./code-blocks.ts";
import { configuredGateway } from "./configured-gateway.ts";

const folder = resolve(".tmp/verified-identities");
const blocks = codeBlocks("docs/identities.md");
const codeIn = (language: string, jwks: string) =>
  blocks
    .find((block) => block.language === language)!
    .code.replace("https://issuer.example.com/.well-known/jwks.json", jwks);

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  vi.stubEnv("UPSTASH_REDIS_REST_URL", inject("redisRestUrl"));
  vi.stubEnv("UPSTASH_REDIS_REST_TOKEN", inject("redisRestToken"));
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

interface App {
  fetch(request: Request): Response | Promise<Response>;
}

async function honoApp(jwks: string): Promise<App> {
  const file = join(folder, `${crypto.randomUUID()}.ts`);
  writeFileSync(file, codeIn("ts", jwks));
  return ((await import(file)) as { default: App }).default;
}

async function gateway(jwks: string): Promise<App> {
  const { url } = await startOrigin();
  return configuredGateway(codeIn("toml", jwks), folder, { ORIGIN: url });
}

test.each([
  ["Hono", honoApp],
  ["the gateway", gateway],
])("the page's code for %s counts by sub and takes the plan from the token", async (_, make) => {
  vi.spyOn(console, "warn").mockReturnValue();
  const issuer = await startIssuer();
  const app = await make(issuer.jwks);
  const own = { iss: "https://issuer.example.com/", aud: "https://api.example.com" };
  const sub = crypto.randomUUID();
  const limits = [];
  for (const token of [
    await issuer.sign({ ...own, sub, plan: "gold" }),
    await issuer.sign({ ...own, sub: `${sub}-2` }),
    await issuer.sign({ ...own, sub, plan: "gold", aud: "https://other.example.com" }),
    unsigned({ alg: "none" }, { ...own, sub, plan: "gold" }, "AA"),
  ]) {
    const headers = { authorization: `Bearer ${token}`, "cf-connecting-ip": "192.0.2.77" };
    const answer = await app.fetch(new Request("https://shop.example/", { headers }));
    const [, limit] = /"user";q=(\d+)/.exec(answer.headers.get("ratelimit-policy")!)!;
    limits.push([answer.status, limit]);
  }
  expect(limits).toEqual([
    [200, "200"],
    [200, "20"],
    [200, "20"],
    [200, "20"],
  ]);
});
