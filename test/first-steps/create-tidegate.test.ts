import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv, promisify } from "node:util";

import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, inject, test, vi } from "vitest";

import { type Origin, startOrigin } from "../../scripts/local-stack/origin.ts";
import { linkPackages, startScript } from "./example.ts";
import { redisVariables, startWorker, statusesOf } from "./worker.ts";

const run = promisify(execFile);

let program: string;
let origin: Origin;
beforeAll(async () => {
  origin = await startOrigin();
  program = join(inject("installed"), "node_modules/.bin/create-tidegate");
});
afterAll(() => origin.stop());

const newFolder = () => mkdtempSync(join(inject("installed"), "New Gateway-"));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the packed program without a terminal. */
async function create(
  cwd: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const env = { ...process.env, ...environment };
  return run(process.execPath, [program, ...args], { cwd, env }).then(
    (ended) => ({ code: 0, ...ended }),
    (failure: Ended) => failure,
  );
}

const NO_REDIS = { UPSTASH_REDIS_REST_URL: "", UPSTASH_REDIS_REST_TOKEN: "" };

const LOGINS = [200, 200, 200, 200, 200, 429, 429];

describe("npm create tidegate, from its tarball", () => {
  test("makes a limited origin with a dashboard on Cloudflare, without another account", async () => {
    const folder = newFolder();
    const { code, stdout, stderr } = await create(folder, ["--origin", origin.url, "--yes"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^ {2}npm install\n {2}npm run dev$/m);
    expect(readdirSync(folder).sort()).toEqual([
      ".dev.vars",
      ".dev.vars.example",
      ".gitignore",
      "README.md",
      "package.json",
      "src",
      "wrangler.toml",
    ]);
    expect(readFileSync(join(folder, "wrangler.toml"), "utf8")).toMatch(/^name = "new-gateway-/m);
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    expect(readme).toMatch(/^# A gateway on Cloudflare\n/);
    // Neither a button that deploys another gateway, nor a link to a file that is not here.
    expect(readme).not.toMatch(/<!-- button|\]\(\.\.\//);
    const { ADMIN_TOKEN: token } = parseEnv(readFileSync(join(folder, ".dev.vars"), "utf8"));
    expect(token).toMatch(/^[\w-]{43}$/);

    await linkPackages(folder);
    const worker = await startWorker(folder);
    origin.resetCounts();
    expect(await statusesOf(worker, 7, "/login", { method: "POST" })).toEqual(LOGINS);
    expect(origin.counts()).toEqual({ "POST /login": 5 });
    const health = await worker.fetch("/_tidegate/health");
    expect(await health.json()).toMatchObject({ status: "ok", store: "durable-object" });

    const page = await worker.fetch("/_tidegate/");
    expect([page.status, page.headers.get("content-type")]).toEqual([
      200,
      expect.stringContaining("text/html"),
    ]);
    const [, script] = /src="([^"]+\.js)"/.exec(await page.text())!;
    const file = await worker.fetch(new URL(script!, "http://a.example/_tidegate/").pathname);
    expect(file.status).toBe(200);
    const explain = (authorization: string) =>
      worker.fetch("/_tidegate/api/v1/explain", {
        method: "POST",
        headers: { authorization, "content-type": "application/json" },
        body: JSON.stringify({ method: "POST", path: "/login", ip: "192.0.2.1" }),
      });
    const explained = await explain(`Bearer ${token}`);
    expect([explained.status, await explained.text()]).toEqual([
      200,
      expect.stringContaining('"login"'),
    ]);
    expect((await explain("Bearer another")).status).toBe(401);

    const admin = async (method: string, path: string, body?: object) => {
      const headers = {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        "if-match": '"0"',
      };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      return (await worker.fetch(`/_tidegate/api/v1${path}`, init)).json();
    };
    const { document } = (await admin("GET", "/rules")) as { readonly document: object };
    const stricter = JSON.parse(
      JSON.stringify(document).replace('"limit":5', '"limit":3'),
    ) as object;
    expect(await admin("PUT", "/rules", stricter)).toMatchObject({ version: 1 });
    await admin("PUT", "/lists/deny", { cidr: "203.0.113.77" });
    const from = (ip: string) => ({ method: "POST", headers: { "cf-connecting-ip": ip } });
    const another = from("203.0.113.7");
    expect(await statusesOf(worker, 4, "/login", another)).toEqual([200, 200, 200, 429]);
    expect(await statusesOf(worker, 1, "/", from("203.0.113.77"))).toEqual([403]);
    expect(await admin("GET", "/audit")).toMatchObject({
      entries: [{ action: "put deny" }, { action: "publish" }],
    });
    expect(await admin("GET", "/top?kind=denied")).toMatchObject({
      partitions: [{ policy: "login" }, { policy: "login" }],
    });
  });

  test("makes one on Node, and takes the Redis of the environment", async () => {
    const places = redisVariables();
    const parent = newFolder();
    const args = ["My API", "--origin", origin.url, "--platform", "node", "--yes"];
    const { code, stdout } = await create(parent, args, places);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^ {2}cd "My API" && npm install\n {2}npm start$/m);
    const folder = join(parent, "My API");
    expect(parseEnv(readFileSync(join(folder, ".env"), "utf8"))).toMatchObject(places);
    expect(JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))).toMatchObject({
      name: "my-api",
    });

    await linkPackages(folder);
    const url = await startScript(folder, "start", { PREFIX: crypto.randomUUID() });
    const statuses: number[] = [];
    for (let login = 0; login < 7; login++) {
      statuses.push((await fetch(`${url}/login`, { method: "POST" })).status);
    }
    expect(statuses).toEqual(LOGINS);
  });

  test("says that a gateway on Node counts through the bridge, where the environment has no Redis", async () => {
    const args = ["new", "--origin", origin.url, "--platform", "node", "--yes"];
    const { stdout } = await create(newFolder(), args, NO_REDIS);
    expect(stdout).toMatch(/Start the bridge first, in another terminal:\n\n {2}npm run bridge\n/);
    const { stdout: own } = await create(newFolder(), [...args, "--store", "memory"], NO_REDIS);
    expect(own).not.toContain("bridge");
  });

  test("makes one on Vercel", async () => {
    const folder = newFolder();
    const args = ["--origin", origin.url, "--platform", "vercel", "--yes"];
    const { code, stdout } = await create(folder, args, NO_REDIS);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "Fill in UPSTASH_REDIS_REST_URL and UPSTASH_REDIS_REST_TOKEN in .env.",
    );
    await linkPackages(folder);
    const environment = {
      ...(parseEnv(readFileSync(join(folder, ".env"), "utf8")) as Record<string, string>),
      ...redisVariables(),
      PREFIX: crypto.randomUUID(),
    };
    for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
    const outfile = join(folder, "bundled.mjs");
    await build({
      entryPoints: [join(folder, "middleware.ts")],
      outfile,
      bundle: true,
      format: "esm",
      platform: "node",
      logLevel: "silent",
    });
    const { config, default: middleware } = (await import(outfile)) as {
      config: object;
      default(request: Request, context: object): Promise<Response>;
    };
    vi.unstubAllEnvs();
    // What Vercel runs it in, as this test does.
    expect(config).toEqual({ runtime: "nodejs" });
    const background: Promise<unknown>[] = [];
    const context = { waitUntil: (promise: Promise<unknown>) => void background.push(promise) };
    const statuses: number[] = [];
    for (let login = 0; login < 7; login++) {
      const asked = new Request("https://shop.example/login", {
        method: "POST",
        headers: { "x-real-ip": "192.0.2.1" },
      });
      statuses.push((await middleware(asked, context)).status);
    }
    await Promise.all(background);
    expect(statuses).toEqual(LOGINS);
  });

  test("leaves out the objects that another store does not need", async () => {
    const folder = newFolder();
    await create(folder, ["--origin", origin.url, "--store", "memory", "--yes"]);
    const toml = readFileSync(join(folder, "wrangler.toml"), "utf8");
    expect(toml).toContain('STORE = "memory"');
    expect(toml).not.toMatch(/durable|migrations/);
  });

  test.each([
    [1, /is not an empty folder/, [".", "--origin", "https://api.example.com"]],
    [2, /--origin https:/, ["new"]],
    [2, /The origin is the address/, ["new", "--origin", "api.example.com"]],
    [2, /Vercel has no store memory/, ["new", "--platform", "vercel", "--store", "memory"]],
    [2, /Allowed choices/, ["new", "--platform", "elsewhere"]],
    [2, /unknown option/, ["new", "--force"]],
  ])("ends with %i, says %s, and changes nothing: %j", async (expected, message, args) => {
    const folder = newFolder();
    writeFileSync(join(folder, "kept"), "");
    const { code, stdout, stderr } = await create(folder, args);
    expect([code, stdout]).toEqual([expected, ""]);
    expect(stderr).toMatch(message);
    expect(readdirSync(folder)).toEqual(["kept"]);
  });

  test("takes an empty repository, and a new folder beside anything else", async () => {
    const [empty, full] = [newFolder(), newFolder()];
    mkdirSync(join(empty, ".git"));
    writeFileSync(join(full, "kept"), "");
    const args = ["--origin", origin.url, "--yes"];
    expect((await create(empty, args)).code).toBe(0);
    expect(readdirSync(empty)).toContain("wrangler.toml");
    expect((await create(full, args)).code).toBe(0);
    expect(readdirSync(full).sort()).toEqual(["gateway", "kept"]);
  });
});
