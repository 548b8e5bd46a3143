import { expect, inject, test } from "vitest";

import { randomToken } from "../../packages/redis-rest/src/random-token.ts";
import { admin } from "../../src/admin.ts";
import { createGateway } from "../../src/gateway/gateway.ts";
import { quota } from "../support/gateway/gateway.ts";

const FILES: Readonly<Record<string, string>> = {
  "http://assets/": "<!doctype html>",
  "http://assets/assets/dashboard-A.js": "let it = 1;",
};

/** Files as Workers bind them, and which of them were asked for. */
function bindAssets() {
  const asked: string[] = [];
  const assets = {
    async fetch(url: string): Promise<Response> {
      asked.push(url);
      const text = FILES[url];
      return text === undefined ? new Response("secret", { status: 404 }) : new Response(text);
    },
  };
  return { asked, assets };
}

function gateway(more: object) {
  return createGateway(
    {
      ORIGIN: "http://127.0.0.1:1",
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      PREFIX: crypto.randomUUID(),
      CLIENT_IP: "cloudflare",
      RULES: [{ path: "/a", policies: [quota("a", 8)] }],
      ...more,
    },
    { admin },
  );
}

const ask = (it: ReturnType<typeof gateway>, path: string, method = "GET") =>
  it.fetch(new Request(`http://gateway.example${path}`, { method }));

test("the page and its files come with a strict policy", async () => {
  const { assets, asked } = bindAssets();
  const it = gateway({ READ_TOKEN: randomToken(), ASSETS: assets });
  const page = await ask(it, "/_tidegate/");
  expect([page.status, await page.text()]).toEqual([200, "<!doctype html>"]);
  expect(page.headers.get("cache-control")).toBe("no-store");
  const script = await ask(it, "/_tidegate/assets/dashboard-A.js");
  expect([script.status, await script.text()]).toEqual([200, "let it = 1;"]);
  expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
  for (const { headers } of [page, script]) {
    expect(headers.get("content-security-policy")).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    expect(headers.get("x-content-type-options")).toBe("nosniff");
    expect(headers.get("referrer-policy")).toBe("no-referrer");
  }
  const bare = await ask(it, "/_tidegate");
  expect([bare.status, bare.headers.get("location")]).toEqual([302, "/_tidegate/"]);
  expect(asked).toHaveLength(2);
});

test.each([
  "/_tidegate/index.html",
  "/_tidegate/assets/",
  "/_tidegate/assets/other.js",
  "/_tidegate/assets/..%2f..%2fwrangler.toml",
  "/_tidegate/assets/a/b.js",
  "/_tidegate/THIRD-PARTY-LICENSES.txt",
])("%s is nothing", async (path) => {
  const it = gateway({ ADMIN_TOKEN: randomToken(), ASSETS: bindAssets().assets });
  const response = await ask(it, path);
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({ detail: "The gateway has nothing at this path." });
});

test("with no token there is no dashboard", async () => {
  const it = gateway({ ASSETS: bindAssets().assets });
  for (const path of ["/_tidegate/", "/_tidegate", "/_tidegate/assets/dashboard-A.js"]) {
    expect((await ask(it, path)).status).toBe(404);
  }
});

test.each([
  ["no files", {}],
  ["a variable in place of files", { ASSETS: "dist" }],
])("with %s the answer names what to bind", async (_what, variables) => {
  const it = gateway({ ADMIN_TOKEN: randomToken(), ...variables });
  for (const path of ["/_tidegate/", "/_tidegate/assets/dashboard-A.js"]) {
    const response = await ask(it, path);
    expect(response.status).toBe(404);
    const { detail } = (await response.json()) as { detail: string };
    for (const named of [
      "Install @tidegate/dashboard",
      "node_modules/@tidegate/dashboard/dist",
      "ASSETS",
      "run_worker_first",
      "npx @tidegate/cli dashboard",
    ]) {
      expect(detail).toContain(named);
    }
  }
});

test("only a GET has the page", async () => {
  const it = gateway({ ADMIN_TOKEN: randomToken(), ASSETS: bindAssets().assets });
  for (const method of ["POST", "PUT", "DELETE"]) {
    expect((await ask(it, "/_tidegate/", method)).status).toBe(404);
  }
});
