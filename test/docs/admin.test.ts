import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { routesOf } from "../../src/admin/admin.ts";
import { administered } from "../support/admin/administered.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { codeBlocks } from "./code-blocks.ts";
import { serveAdministered } from "./serve-administered.ts";

const blocks = codeBlocks("docs/admin.md");

const documentOf = (limit: number) => ({
  rules: [
    {
      path: "/rides/*",
      partition: ["header:x-user-id"],
      policies: [{ algorithm: "sliding-window-log", name: "rides", limit, window: "1m" }],
    },
  ],
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
  const folder = mkdtempSync(join(tmpdir(), "tidegate-admin-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "rules.json"), JSON.stringify(documentOf(200)));
  const url = await serveAdministered(documentOf(100).rules, { CLIENT_IP: { trustedHops: 1 } });
  const env = { ...process.env, TIDEGATE_URL: url, TIDEGATE_TOKEN: ADMIN_TOKEN };
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
