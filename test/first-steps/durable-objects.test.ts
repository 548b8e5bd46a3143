import { execFile } from "node:child_process";
import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

import { describe, expect, inject, test } from "vitest";

import { codeBlocks } from "../docs/code-blocks.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { redisVariables, type RunningWorker, startProject, statusesOf } from "./worker.ts";

const [handler, handlerToml, gateway, gatewayToml, regional, regionalToml, regionalGatewayToml] =
  codeBlocks("docs/durable-objects.md").map(({ code }) => code);

/** Twenty requests one after the other, and then enough at once that the bucket cannot refill as fast. */
async function burst(worker: RunningWorker, path: string) {
  const first = await statusesOf(worker, 20, path);
  const rest = await Promise.all(Array.from({ length: 300 }, () => statusesOf(worker, 1, path)));
  return { first, denies: rest.flat().includes(429) };
}

describe("a user without a Redis", () => {
  test("limits in a worker by the page's code", async () => {
    const worker = await startProject({
      files: { "src/index.ts": handler!, "wrangler.toml": handlerToml! },
    });
    expect(await burst(worker, "/")).toEqual({ first: Array(20).fill(200), denies: true });
  });

  test.each([
    ["", handler, handlerToml],
    [" for regions", regional, regionalToml],
  ])("compiles the page's code%s with the types that wrangler makes", async (_, code, toml) => {
    const folder = await mkdtemp(join(inject("installed"), "types-"));
    await mkdir(join(folder, "src"));
    await writeFile(join(folder, "src/index.ts"), code!);
    await writeFile(join(folder, "wrangler.toml"), toml!);
    const compilerOptions = {
      strict: true,
      noEmit: true,
      module: "esnext",
      moduleResolution: "bundler",
      target: "es2024",
      lib: ["es2024"],
      types: [],
    };
    const include = ["src", "worker-configuration.d.ts"];
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
    const run = promisify(execFile);
    const node = (program: string, ...args: readonly string[]) =>
      run(process.execPath, [resolve("node_modules", program), ...args], { cwd: folder });
    await node("wrangler/bin/wrangler.js", "types");
    const { stdout } = await node("typescript/bin/tsc").catch(
      (failure: { stdout: string }) => failure,
    );
    expect(stdout).toBe("");
  });

  test("runs the gateway by the page's configuration", async () => {
    const worker = await startProject({
      files: { "src/index.ts": gateway!, "wrangler.toml": gatewayToml! },
      variables: { ORIGIN: (await startOrigin()).url },
    });
    const health = await worker.fetch("/_tidegate/health");
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({ status: "ok", store: "durable-object", breaker: "closed" }),
    ]);
    const answers = { first: Array(20).fill(200), denies: true };
    expect(await burst(worker, "/api/rides")).toEqual(answers);
    expect(await statusesOf(worker, 2, "/elsewhere")).toEqual([200, 200]);
  });
});

/** Enough at once that the bucket cannot refill as fast. */
async function overload(worker: RunningWorker, path: string) {
  const first = await statusesOf(worker, 50, path);
  const rest = await Promise.all(Array.from({ length: 600 }, () => statusesOf(worker, 1, path)));
  return { first, denies: rest.flat().includes(429) };
}

describe("a user with one Redis and regions of objects", () => {
  const expected = { first: Array(50).fill(200), denies: true };

  test("limits in a worker by the page's code", async () => {
    const worker = await startProject({
      files: { "src/index.ts": regional!, "wrangler.toml": regionalToml! },
      variables: redisVariables(),
    });
    expect(await overload(worker, "/")).toEqual(expected);
  });

  test("runs the gateway by the page's configuration", async () => {
    const main = `export { default, TidegateRegion } from "tidegate/worker";`;
    const worker = await startProject({
      files: { "src/index.ts": main, "wrangler.toml": regionalGatewayToml! },
      variables: { ...redisVariables(), ORIGIN: (await startOrigin()).url },
    });
    const health = await worker.fetch("/_tidegate/health");
    expect([health.status, await health.json()]).toEqual([
      200,
      expect.objectContaining({
        status: "ok",
        regions: [{ name: "america" }, { name: "europe" }],
      }),
    ]);
    expect(await overload(worker, "/api/rides")).toEqual(expected);
  });
});
