import type { RequestListener } from "node:http";

import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from "vitest";

import { randomToken } from "../../packages/redis-rest/src/random-token.ts";
import { startWorker } from "../../scripts/local-stack/worker.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { openBrowser } from "./browser.ts";
import { signIn } from "./visit.ts";

/* A site whose service worker looks at every request that the browser sends to its origin. */

let browser: Browser;
beforeAll(async () => {
  browser = await openBrowser();
}, 120_000);
afterAll(() => browser?.close());

const PAGE = `<!doctype html><script>
navigator.serviceWorker.register("/worker.js").then(() => navigator.serviceWorker.ready)
  .then(() => { document.title = "installed"; }, (error) => { document.title = error.name; });
</script>`;

const WORKER = `
self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
self.addEventListener("fetch", (event) => {
  const taken = event.request.headers.get("authorization");
  if (taken) event.waitUntil(fetch("/taken", { method: "POST", body: taken }));
});`;

const TYPES: Readonly<Record<string, string>> = {
  "/": "text/html",
  "/worker.js": "text/javascript",
};

test.for([
  ["on the site's host, a service worker takes the token", "any", "www.localhost", true],
  ["on a host of its own, no service worker sees it", "admin.localhost", "admin.localhost", false],
] as const)("%s", async ([, ADMIN_HOST, host, isTaken]) => {
  const taken: string[] = [];
  const site: RequestListener = (request, response) => {
    if (request.url === "/taken") request.on("data", (chunk) => taken.push(String(chunk)));
    response.setHeader("content-type", TYPES[request.url!] ?? "text/plain");
    response.end(request.url === "/worker.js" ? WORKER : PAGE);
  };
  const token = randomToken();
  const worker = await startWorker({
    variables: {
      ORIGIN: (await startOrigin(site)).url,
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      TIMEOUT: "15s",
      PREFIX: crypto.randomUUID(),
      RULES: [{ path: "/api/*", policies: [quota("api", 5)] }],
      ADMIN_TOKEN: token,
      ADMIN_HOST,
    },
  });
  onTestFinished(() => worker.stop());
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const { port } = new URL(worker.url);
  // The site installs it wherever it is served.
  for (const name of ["www.localhost", host]) {
    const visit = await context.newPage();
    const answer = await visit.goto(`http://${name}:${port}/`);
    if (answer!.status() === 200) await visit.waitForFunction("document.title === 'installed'");
    await visit.close();
  }
  const page = await context.newPage();
  await signIn(page, `http://${host}:${port}/_tidegate/#/audit`, token);
  await page.getByRole("region", { name: "Audit" }).waitFor();
  if (isTaken) await expect.poll(() => taken).toContain(`Bearer ${token}`);
  else expect(taken).toEqual([]);
});
