import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";

import { beforeAll, describe, expect, inject, onTestFinished, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import { startOrigin } from "../../scripts/local-stack/origin.ts";
import { linkPackages, startScript } from "./example.ts";
import { type Beside, manifestIn } from "./packages.ts";
import { redisVariables } from "./worker.ts";

const run = promisify(execFile);

/** Programs of Node by their versions, each downloaded once. */
const downloads = new Map<string, Promise<string>>();

/** The Node of exactly this version, as the packages of `node` on the registry have it. */
function nodeOf(version: string): Promise<string> {
  const begun = downloads.get(version) ?? download(version);
  downloads.set(version, begun);
  return begun;
}

async function download(version: string): Promise<string> {
  const folder = mkdtempSync(join(dirname(inject("installed")), "node-"));
  writeFileSync(join(folder, "package.json"), '{ "private": true }');
  const platform = process.platform === "win32" ? "win" : process.platform;
  const name = `node-${platform}-${process.arch}`;
  const quickly = ["--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund"];
  await run("npm", ["install", ...quickly, `${name}@${version}`], { cwd: folder });
  const program = join(folder, "node_modules", name, "bin/node");
  const { stdout } = await run(program, ["--version"]);
  expect(stdout.trim()).toBe(`v${version}`);
  return program;
}

/** The lowest version of a range such as `>=20.12`. */
function lowestOf(range: string): string {
  const [, major, minor = "0", patch = "0"] = /^>=(\d+)(?:\.(\d+))?(?:\.(\d+))?$/.exec(range)!;
  return [major, minor, patch].join(".");
}

const lowestNodeOf = (folder?: Beside) => nodeOf(lowestOf(manifestIn(folder).engines!.node));

let binaries: string;
beforeAll(() => {
  binaries = join(inject("installed"), "node_modules/.bin");
});

describe("on the lowest Node that it names", () => {
  test("the library has each entry, and counts in Redis and in memory", async () => {
    const node = await lowestNodeOf();
    const entries = Object.keys(manifest.exports)
      .filter((entry) => !["./worker", "./package.json"].includes(entry))
      .map((entry) => entry.replace(".", manifest.name));
    const file = join(inject("installed"), "lowest.mjs");
    writeFileSync(
      file,
      `${entries.map((entry) => `import "${entry}";`).join("\n")}
import { createLimiter, fixedWindow, memoryStore } from "${manifest.name}";
const policies = [fixedWindow({ name: crypto.randomUUID(), limit: 2, window: "1h" })];
for (const options of [{}, { store: memoryStore() }]) {
  const limiter = createLimiter({ ...options, policies });
  for (let i = 0; i < 3; i++) {
    console.log((await limiter.limit("a")).allowed);
  }
}
`,
    );
    const { stdout } = await run(node, [file], { env: { ...process.env, ...redisVariables() } });
    expect(stdout).toBe("true\ntrue\nfalse\n".repeat(2));
  });

  test("code in CommonJS requires the library, from the version that the docs name", async () => {
    const [, version] = /loads them in Node (\d+\.\d+)/.exec(
      readFileSync("docs/testing.md", "utf8"),
    )!;
    const file = join(inject("installed"), "lowest.cjs");
    writeFileSync(file, `console.log(typeof require("${manifest.name}").createLimiter);`);
    const { stdout } = await run(await nodeOf(`${version}.0`), [file]);
    expect(stdout).toBe("function\n");
  });

  test("the command line loads all its parts, and checks rules", async () => {
    const node = await lowestNodeOf("cli");
    const folder = join(inject("installed"), "node_modules/@tidegate/cli/dist/node/shared");
    const parts = readdirSync(folder).filter((name) => name.endsWith(".js"));
    expect(parts.length).toBeGreaterThan(2);
    const file = join(inject("installed"), "parts.mjs");
    writeFileSync(
      file,
      parts.map((name) => `import ${JSON.stringify(join(folder, name))};`).join("\n"),
    );
    await run(node, [file]);
    const rules = join(inject("installed"), "lowest.json");
    const policy = { algorithm: "fixed-window", limit: 5, window: "1m" };
    writeFileSync(rules, JSON.stringify({ rules: [{ path: "/", policies: [policy] }] }));
    const { stderr } = await run(node, [join(binaries, "tidegate"), "rules", "check", rules]);
    expect(stderr).toContain("No faults in 1 file.");
  });

  test("the bridge serves a Redis", async () => {
    const node = await lowestNodeOf("redis-rest");
    const args = ["--redis", inject("redisUrl"), "--port", "0"];
    const bridge = spawn(node, [join(binaries, "tidegate-redis-rest"), ...args], {
      env: { ...process.env, REDIS_REST_TOKEN: "lowest" },
      stdio: ["ignore", "pipe", "inherit"],
    });
    onTestFinished(async () => {
      bridge.kill();
      await once(bridge, "close");
    });
    const lines = createInterface(bridge.stdout)[Symbol.asyncIterator]();
    const [url = ""] = String((await lines.next()).value).match(/http:\S+/) ?? [];
    const answer = await fetch(url, {
      method: "POST",
      headers: { authorization: "Bearer lowest" },
      body: '["EVAL", "return redis.call(\'PING\')", "0"]',
    });
    expect(await answer.json()).toEqual({ result: "PONG" });
  });

  test("npm create makes a gateway on Node, which limits on the lowest Node that it names itself", async () => {
    const origin = await startOrigin();
    onTestFinished(() => origin.stop());
    const parent = mkdtempSync(join(inject("installed"), "lowest-"));
    const options = ["--origin", origin.url, "--platform", "node", "--store", "memory", "--yes"];
    const program = join(binaries, "create-tidegate");
    await run(await lowestNodeOf("create-tidegate"), [program, "gateway", ...options], {
      cwd: parent,
    });
    const folder = join(parent, "gateway");
    const { engines } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as {
      engines: { node: string };
    };
    const node = await nodeOf(lowestOf(engines.node));
    await linkPackages(folder);
    const PATH = [dirname(node), process.env["PATH"]].join(delimiter);
    const url = await startScript(folder, "start", { PATH });
    const statuses: number[] = [];
    for (let login = 0; login < 7; login++) {
      statuses.push((await fetch(`${url}/login`, { method: "POST" })).status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 200, 429, 429]);
  });
});
