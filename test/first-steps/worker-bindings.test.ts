import { describe, expect, inject, test } from "vitest";

import { guideCode } from "../docs/guides.ts";
import { redisVariables, startProject, statusesOf } from "./worker.ts";

const handler = guideCode("await limit(");

/** The README's first handler, with the rest of its limit far away in time. */
const files = { "src/index.ts": handler.replace('per: "1s"', 'per: "1h"') };

/** A client whose address and user were in no run before. */
const asUser = () => {
  const address = `10.${crypto.getRandomValues(new Uint8Array(3)).join(".")}`;
  return { headers: { "cf-connecting-ip": address, "x-user-id": crypto.randomUUID() } };
};
const twentyPass = [...Array(20).fill(200), 429, 429];

const runtimes = [
  { compatibilityDate: "2026-10-20", compatibilityFlags: [] },
  // Node's compatibility is on by default from 2026-08-04.
  {
    compatibilityDate: "2026-10-20",
    compatibilityFlags: ["no_nodejs_compat", "no_nodejs_compat_v2"],
  },
  { compatibilityDate: "2026-07-01", compatibilityFlags: ["nodejs_compat"] },
  { compatibilityDate: "2026-07-01", compatibilityFlags: [] },
  // `process.env` is filled from 2025-04-01.
  { compatibilityDate: "2024-09-23", compatibilityFlags: ["nodejs_compat"] },
  { compatibilityDate: "2024-09-23", compatibilityFlags: [] },
];

const atModuleScope = `import { createLimiter, fixedWindow } from "tidegate";

const limiter = createLimiter({ policies: [fixedWindow({ limit: 20, window: "30d" })] });

export default {
  async fetch(request) {
    const decision = await limiter.limit(request.headers.get("x-user-id"));
    return decision.allowed ? new Response("hello") : decision.response();
  },
};`;

test("on a plain Worker, a middleware of tidegate/hono finds the variables that are bound", async () => {
  const entry = `import { Hono } from "hono";
import { fixedWindow, header } from "tidegate";
import { rateLimit } from "tidegate/hono";

const app = new Hono();
const policies = [fixedWindow({ limit: 20, window: "30d" })];
app.use(rateLimit({ policies, partition: [header("x-user-id")], clientIp: "cloudflare" }));
app.get("/", (c) => c.text("hello"));
export default app;`;
  const worker = await startProject({
    compatibilityDate: "2026-07-01",
    files: { "src/index.ts": entry },
    variables: redisVariables(),
  });
  expect(await statusesOf(worker, 22, "/", asUser())).toEqual(twentyPass);
});

/** The README's first handler, and at `/module` another one, in one Worker: each starts a workerd. */
const both = {
  "src/first.ts": files["src/index.ts"],
  "src/module.ts": atModuleScope,
  "src/index.ts": `import first from "./first.ts";
import module from "./module.ts";

export default {
  fetch(request, ...rest) {
    const { fetch } = new URL(request.url).pathname === "/module" ? module : first;
    return fetch(request, ...rest);
  },
};`,
};

test.each(runtimes)(
  "on a Worker, $compatibilityDate $compatibilityFlags, the README's first handler finds the variables that are bound, and so does createLimiter() at module scope",
  async (runtime) => {
    const worker = await startProject({ ...runtime, files: both, variables: redisVariables() });
    expect(await statusesOf(worker, 22, "/", asUser())).toEqual(twentyPass);
    expect(await statusesOf(worker, 22, "/module", asUser())).toEqual(twentyPass);
  },
);

describe("on a Worker without Node's compatibility, the README's first handler", () => {
  const runtime = { compatibilityDate: "2024-09-23", compatibilityFlags: [] };

  test("finds secrets", async () => {
    const worker = await startProject({ ...runtime, files, secrets: redisVariables() });
    expect(await statusesOf(worker, 22, "/", asUser())).toEqual(twentyPass);
  });

  test("finds the variables of .dev.vars", async () => {
    const lines = Object.entries(redisVariables()).map(([name, value]) => `${name}="${value}"`);
    const worker = await startProject({
      ...runtime,
      files: { ...files, ".dev.vars": lines.join("\n") },
    });
    expect(await statusesOf(worker, 22, "/", asUser())).toEqual(twentyPass);
  });

  test("finds Vercel's names where Upstash's are empty", async () => {
    const variables = {
      UPSTASH_REDIS_REST_URL: "",
      UPSTASH_REDIS_REST_TOKEN: "",
      KV_REST_API_URL: inject("redisRestUrl"),
      KV_REST_API_TOKEN: inject("redisRestToken"),
    };
    const worker = await startProject({ ...runtime, files, variables });
    expect(await statusesOf(worker, 22, "/", asUser())).toEqual(twentyPass);
  });

  test("names both ways out without a binding", async () => {
    const worker = await startProject({ ...runtime, files });
    const answer = await worker.fetch("/");
    expect(answer.status).toBe(500);
    expect(await answer.text()).toMatch(
      /UPSTASH_REDIS_REST_URL: missing: .*on Workers as a variable or secret.*redis: \{ url, token \}/,
    );
  });
});
