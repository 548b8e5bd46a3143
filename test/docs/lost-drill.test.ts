import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { expect, onTestFinished, test } from "vitest";

import { ADMIN_TOKEN, DEPLOYED, limited } from "../support/live/live-gateway.ts";
import { ownRedis } from "../support/own-redis.ts";
import { codeBlocks } from "./code-blocks.ts";
import { serveAdministered } from "./serve-administered.ts";

const PROGRAM = `'${process.execPath}' '${resolve("packages/cli/src/main.ts")}'`;

const own = ownRedis();

// It starts the program ten times.
test("the drill of docs/live-rules.md loses everything, and has it back", async () => {
  const url = await serveAdministered(DEPLOYED, {
    CONTROL_REDIS_REST_URL: own.bridge.url,
    CONTROL_REDIS_REST_TOKEN: own.bridge.token,
  });
  const folder = mkdtempSync(join(tmpdir(), "tidegate-drill-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const env = {
    ...process.env,
    CONTROL: own.server.url,
    TIDEGATE_URL: url,
    TIDEGATE_TOKEN: ADMIN_TOKEN,
    NO_COLOR: "1",
  };
  const api = async (method: string, path: string, body: object, version: number) => {
    const headers = {
      authorization: `Bearer ${ADMIN_TOKEN}`,
      "content-type": "application/json",
      "if-match": `"${version}"`,
    };
    const init = { method, headers, body: JSON.stringify(body) };
    return (await fetch(`${url}/_tidegate/api/v1${path}`, init)).status;
  };
  expect(await api("PUT", "/rules", limited(20), 0)).toBe(200);
  expect(await api("PUT", "/lists/deny", { identity: "x-user-id:mal" }, 1)).toBe(200);

  const text = readFileSync("docs/live-rules.md", "utf8");
  const begin = text.slice(0, text.indexOf("### The drill")).split("\n").length;
  const blocks = codeBlocks("docs/live-rules.md").filter(
    ({ line, language }) => line > begin && language === "sh",
  );
  const follow = async (more: Record<string, string> = {}) => {
    const code = blocks.shift()!.code.replaceAll("npx tidegate", PROGRAM);
    return (
      await promisify(execFile)("sh", ["-e", "-c", `exec 2>&1\n${code}`], {
        cwd: folder,
        env: { ...env, ...more },
      })
    ).stdout;
  };
  expect(await follow()).toContain("x-user-id:mal");
  expect(readFileSync(join(folder, "audit-before.jsonl"), "utf8").trim().split("\n")).toHaveLength(
    2,
  );

  const lost = await follow();
  expect(lost).toContain("x-user-id:mal");
  expect(lost).toContain("warning: the control store had lost live rules, put back at ");
  expect(lost).toMatch(/ gateway +restore +1 /);
  const after = JSON.parse(readFileSync(join(folder, "after.json"), "utf8")) as object;
  expect(after).toMatchObject({ version: 1, rules: limited(20).rules });

  // Of a gateway whose rules nobody holds, the same copy is the first version.
  const [last] = blocks;
  const lostForGood = await serveAdministered(DEPLOYED, {
    CONTROL_REDIS_REST_URL: own.bridge.url,
    CONTROL_REDIS_REST_TOKEN: own.bridge.token,
  });
  expect(await follow({ TIDEGATE_URL: lostForGood })).toMatch(/1 +live .*after the drill/);
  blocks.push(last!);

  expect(await follow()).toMatch(/2 +live .*after the drill/);
  const health = await (await fetch(`${url}/_tidegate/health`)).json();
  expect(health).toMatchObject({ status: "ok", control: { own: true } });
  expect(blocks).toEqual([]);
}, 120_000);
