import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";

import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";

import { type Origin, startOrigin } from "../../scripts/local-stack/origin.ts";
import { codeBlocks } from "../docs/code-blocks.ts";
import { redisVariables, startProject, statusesOf } from "./worker.ts";

const blocks = codeBlocks("docs/start.md");
const code = (text: string) => blocks.find((block) => block.code.includes(text))!.code;

/** The files that the guide has a reader without a clone write. */
const files = {
  "wrangler.toml": code("[[vars.RULES]]"),
  "src/index.ts": code("tidegate/worker"),
};

let origin: Origin;
beforeAll(async () => void (origin = await startOrigin()));
afterAll(() => origin.stop());

describe("the gateway of a user who has only installed the package", () => {
  test("limits by the guide's rule, passes the rest, and serves the dashboard that the guide binds", async () => {
    const worker = await startProject({
      files,
      variables: { ORIGIN: origin.url, PREFIX: crypto.randomUUID() },
      secrets: { ...redisVariables(), ADMIN_TOKEN: crypto.randomUUID() },
    });
    const health = await worker.fetch("/_tidegate/health");
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({ status: "ok" }),
    ]);
    const login = { method: "POST" };
    origin.resetCounts();
    expect(await statusesOf(worker, 7, "/api/login", login)).toEqual([
      200, 200, 200, 200, 200, 429, 429,
    ]);
    expect(origin.counts()).toEqual({ "POST /api/login": 5 });
    expect(await statusesOf(worker, 3, "/elsewhere", login)).toEqual([200, 200, 200]);
    expect(origin.counts()).toEqual({ "POST /api/login": 5, "POST /elsewhere": 3 });
    const page = await worker.fetch("/_tidegate/");
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining("assets/")]);
  });

  test("runs by `.dev.vars` alone, without a Redis, on an older compatibility date without flags", async () => {
    const worker = await startProject({
      files: {
        ...files,
        "wrangler.toml": files["wrangler.toml"].replace("2026-01-20", "2024-09-23"),
        ".dev.vars": `STORE=memory\nORIGIN=${origin.url}\n`,
      },
    });
    const statuses = await statusesOf(worker, 7, "/api/login", { method: "POST" });
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });
});

describe("docs/start.md", () => {
  const commands = code("npm install").split("\n");

  test("installs what its gateway imports and binds", () => {
    const [install] = commands;
    for (const name of ["tidegate", "hono", "@tidegate/dashboard", "wrangler"]) {
      expect(install!.split(" ")).toContain(name);
    }
  });

  test("leads to a limited API with a dashboard, without a Redis, by its files and commands", async () => {
    const folder = mkdtempSync(join(inject("installed"), "start-"));
    const writes = commands.filter((line) => line.includes(".dev.vars"));
    execFileSync("bash", ["-ec", writes.join("\n")], { cwd: folder });
    const secrets = readFileSync(join(folder, ".dev.vars"), "utf8");
    const worker = await startProject({
      files: {
        ...files,
        ".dev.vars": `${secrets}ORIGIN=${origin.url}\n`,
      },
    });
    const [, path] = /127\.0\.0\.1:8787(\/\S+)\?\[1-6\]/.exec(code("[1-6]"))!;
    const statuses = await statusesOf(worker, 6, path, { method: "POST" });
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
    const page = await worker.fetch("/_tidegate/");
    const [, script] = /src="([^"]+\.js)"/.exec(await page.text())!;
    const file = await worker.fetch(new URL(script!, "http://a.example/_tidegate/").pathname);
    expect(
      [page, file].map(({ status, headers }) => [status, headers.get("content-type")]),
    ).toEqual([
      [200, expect.stringContaining("text/html")],
      [200, expect.stringContaining("javascript")],
    ]);
    const { ADMIN_TOKEN: token } = parseEnv(secrets);
    const explained = await worker.fetch("/_tidegate/api/v1/explain", {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: JSON.stringify({ method: "POST", path, ip: "192.0.2.1" }),
    });
    expect(explained.status).toBe(200);
  });
});
