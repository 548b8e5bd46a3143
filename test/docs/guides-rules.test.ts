import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { afterAll, beforeAll, expect, test } from "vitest";
import { unstable_readConfig } from "wrangler";

import { type Origin, startOrigin } from "../../scripts/local-stack/origin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { guideCode } from "./guides.ts";

const folder = resolve(".tmp/guides-rules");
let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin();
  mkdirSync(folder, { recursive: true });
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await origin.stop();
});

test("the guides' patterns cover the paths that it says they do, and its backstop the rest", async () => {
  const config = join(folder, "wrangler.toml");
  writeFileSync(config, `name = "readme"\n${guideCode('"/**/api/login')}`);
  const gateway = createGateway({
    ...unstable_readConfig({ config }).vars,
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
  });
  const policiesOf = async (method: string, path: string) => {
    const { headers } = await gateway.request(path, { method });
    return [...(headers.get("RateLimit-Policy") ?? "").matchAll(/"([a-z]+)"/g)].map(([, n]) => n);
  };
  for (const path of [
    "/api/login",
    "/api/login.json",
    "/api/login.php/x",
    "/index.php/api/login",
    "/a/b/api/login",
  ]) {
    expect([path, await policiesOf("POST", path)]).toEqual([path, ["login", "backstop"]]);
  }
  for (const path of ["/", "/api", "/login", "/api/log-in", "/@scope%2fname"]) {
    expect([path, await policiesOf("POST", path)]).toEqual([path, ["backstop"]]);
  }
  expect(await policiesOf("GET", "/api/login")).toEqual(["backstop"]);
  // The window's five have gone.
  expect((await gateway.request("/api/login;x/y", { method: "POST" })).status).toBe(429);
  expect((await gateway.request("/api%2Flogin", { method: "POST" })).status).toBe(400);
});
