import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { afterAll, beforeAll, expect, inject, test } from "vitest";

import { admin } from "../../src/admin.ts";
import { routesOf } from "../../src/admin/admin.ts";
import { createGateway } from "../../src/gateway.ts";
import { metrics } from "../../src/metrics/recorder.ts";
import { administered } from "../support/admin/administered.ts";
import { listenTo } from "../support/gateway/serve.ts";
import { codeBlocks } from "./code-blocks.ts";

const DOCUMENT = "docs/admin.md";
const ADMIN_TOKEN = "mV3kT9xQ2bLr7WcYp0NsHd5Zf8Gj1Ua6Re4Ki0Xo2c=";
const blocks = codeBlocks(DOCUMENT);

const documentOf = (limit: number) => ({
  rules: [
    {
      path: "/rides/*",
      partition: ["header:x-user-id"],
      policies: [{ algorithm: "sliding-window-log", name: "rides", limit, window: "1m" }],
    },
  ],
});

let folder: string;
let server: Server;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tidegate-admin-"));
  writeFileSync(join(folder, "rules.json"), JSON.stringify(documentOf(200)));
  const gateway = createGateway(
    {
      ORIGIN: "http://127.0.0.1:1",
      UPSTASH_REDIS_REST_URL: inject("redisRestUrl"),
      UPSTASH_REDIS_REST_TOKEN: inject("redisRestToken"),
      PREFIX: crypto.randomUUID(),
      TIMEOUT: "10s",
      CLIENT_IP: { trustedHops: 1 },
      RULES: documentOf(100).rules,
      ADMIN_TOKEN,
    },
    { admin, metrics },
  );
  server = createServer(listenTo((request) => gateway.fetch(request)));
  await once(server.listen(0, "127.0.0.1"), "listening");
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** A text without the parts that differ in each run. */
function masked(text: string): unknown {
  return JSON.parse(
    text
      .replaceAll(/"20\d\d-\d\d-\d\dT[\d:.]+Z"/g, '"(time)"')
      .replaceAll(/"admin:[0-9a-f]{8}"/g, '"(by)"')
      .replaceAll(/"id":\s*"[0-9a-f]{16}"/g, '"id":"(id)"'),
  );
}

test("the commands of docs/admin.md work in their order, and answer as it shows", async () => {
  const { port } = server.address() as AddressInfo;
  const env = {
    ...process.env,
    TIDEGATE_URL: `http://127.0.0.1:${port}`,
    TIDEGATE_TOKEN: ADMIN_TOKEN,
  };
  let shown = 0;
  for (const [i, { language, code, line }] of blocks.entries()) {
    if (language !== "sh") continue;
    const ran = promisify(execFile)("sh", ["-e", "-c", code], { cwd: folder, env });
    const { stdout } = await ran.catch((error: { stdout: string; message: string }) => {
      throw new Error(`line ${line}: ${error.message} ${error.stdout}`);
    });
    const next = blocks[i + 1];
    if (next?.language !== "json") continue;
    shown++;
    expect([line, masked(stdout)]).toEqual([line, masked(next.code)]);
  }
  expect(shown).toBe(4);
});

test("every route has a command", () => {
  const commands = blocks.flatMap(({ language, code }) =>
    language === "sh" ? code.split(/^(?=curl )/m) : [],
  );
  const asked = commands.flatMap((command) => {
    const path = /\/_tidegate\/api\/v1([\w/-]+)/.exec(command)?.[1];
    return path === undefined ? [] : [`${/-X (\w+)/.exec(command)?.[1] ?? "GET"} ${path}`];
  });
  const routes = routesOf(administered(undefined)).map(({ method, path }) => `${method} ${path}`);
  const missing = routes.filter((route) => !asked.includes(route));
  // They are said to work like those that have one.
  expect(missing).toEqual([
    "POST /rules/draft",
    "GET /lists/allow",
    "PUT /lists/allow",
    "DELETE /lists/allow",
    "GET /overrides",
    "DELETE /overrides",
  ]);
});
