import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { cp, rm, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";

import { freePort } from "../../scripts/support/free-port.ts";
import { guideCode } from "../docs/guides.ts";
import { redisVariables } from "./worker.ts";

const run = promisify(execFile);
const SESSION_SECRET = "a secret of the test";
const environment = () => ({
  ...process.env,
  NODE_ENV: undefined,
  NEXT_TELEMETRY_DISABLED: "1",
  SESSION_SECRET,
  ...redisVariables(),
});

let app: string;
beforeAll(async () => {
  app = join(dirname(inject("installed")), "next-app");
  await cp(resolve("examples/next"), app, { recursive: true });
  await cp(join(import.meta.dirname, "locks/next"), app, { recursive: true });
  const quickly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  // Not `npm ci`, for which a lock file has to name the compilers of all systems, and not those of Linux alone.
  await run("npm", ["install", ...quickly, inject("tarball")], { cwd: app });
}, 300_000);

/** A sample with its window's end far away in time. */
const sample = (text: string) => guideCode(text).replace('window: "10s"', 'window: "1h"');

/** Builds the app with this file as its only middleware. */
async function build(file: string, code: string, ...options: string[]): Promise<string> {
  for (const name of ["proxy.ts", "middleware.ts"]) await rm(join(app, name), { force: true });
  await writeFile(join(app, file), code);
  const { stdout, stderr } = await run("node_modules/.bin/next", ["build", ...options], {
    cwd: app,
    env: environment(),
  });
  return stdout + stderr;
}

/** Serves the built app, until the test ends. */
async function start(): Promise<string> {
  const port = await freePort();
  const next: ChildProcess = spawn(
    process.execPath,
    ["node_modules/next/dist/bin/next", "start", "-H", "127.0.0.1", "-p", String(port)],
    { cwd: app, env: environment() as NodeJS.ProcessEnv, stdio: ["ignore", "pipe", "inherit"] },
  );
  onTestFinished(async () => {
    next.kill("SIGKILL");
    if (next.exitCode === null && next.signalCode === null) await once(next, "close");
  });
  for await (const chunk of next.stdout!) if (String(chunk).includes("Ready")) break;
  return `http://127.0.0.1:${port}`;
}

/** A client whose address was in no run before. */
function newClient(): Record<string, string> {
  const [a, b, c] = crypto.getRandomValues(new Uint8Array(3));
  return { "x-real-ip": `2001:db8:${a!.toString(16)}:${((b! << 8) + c!).toString(16)}::1` };
}

async function answers(url: string, requests: number, headers: Record<string, string>) {
  const list: Response[] = [];
  for (let request = 0; request < requests; request++) {
    list.push(await fetch(url, { headers, redirect: "manual" }));
  }
  return list;
}

test("examples/next answers twenty requests, and denies the next ones", async () => {
  const said = await build("proxy.ts", readFileSync("examples/next/proxy.ts", "utf8"));
  expect(said).toContain("Proxy (Middleware)");
  const list = await answers(`${await start()}/api/rides`, 22, newClient());
  expect(list.map(({ status }) => status)).toEqual([...Array(20).fill(200), 429, 429]);
});

describe("Next 16 with the README's sample", () => {
  test.each([["--turbopack"], ["--webpack"]])(
    "builds it as proxy.ts, and denies requests over the limit: %s",
    async (...options) => {
      const said = await build("proxy.ts", sample('from "tidegate/vercel"'), ...options);
      expect(said).toContain("Proxy (Middleware)");
      expect(said).not.toMatch(/warn|deprecat/i);

      const url = await start();
      const client = newClient();
      const list = await answers(`${url}/api/rides`, 32, client);
      expect(list.map(({ status }) => status)).toEqual([...Array(30).fill(200), 429, 429]);
      const [first, last] = [list[0]!, list.at(-1)!];
      expect(await first.json()).toEqual({ rides: [] });
      expect(first.headers.get("X-RateLimit-Remaining")).toBe("29");
      expect(first.headers.get("RateLimit-Policy")).toBe(
        '"sliding-window-counter-30-1h";q=30;w=3600',
      );
      expect(first.headers.has("x-middleware-next")).toBe(false);
      expect(await last.json()).toMatchObject({ status: 429 });
      expect(Number(last.headers.get("Retry-After"))).toBeGreaterThan(0);
      const other = await fetch(`${url}/api/rides`, { headers: newClient() });
      expect(other.status).toBe(200);
    },
  );

  test("builds it as middleware.ts, with a middleware of one's own behind it", async () => {
    await build("middleware.ts", sample("onAllowed"));
    const url = await start();
    const client = newClient();
    const [stranger] = await answers(`${url}/api/rides`, 1, client);
    expect([stranger!.status, stranger!.headers.get("location")]).toEqual([
      302,
      expect.stringMatching(/\/sign-in$/),
    ]);
    expect(stranger!.headers.get("X-RateLimit-Remaining")).toBe("29");
    const signature = createHmac("sha256", SESSION_SECRET).update("ada").digest("hex");
    const cookie = `session=ada.${signature}`;
    const list = await answers(`${url}/api/rides`, 31, { ...client, cookie });
    expect(list.map(({ status }) => status)).toEqual([...Array(29).fill(200), 429, 429]);
    expect(await list[0]!.json()).toEqual({ rides: [] });
    expect(list[0]!.headers.get("X-RateLimit-Remaining")).toBe("28");
  });
});
