import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { beforeEach, describe, expect, inject, onTestFinished, test } from "vitest";

import { startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { startRedisServer } from "../../scripts/support/redis-server.ts";
import { startOrigin } from "../support/gateway/gateway.ts";
import { startMiddleware } from "./edge.ts";
import { installExample, manifestOf, placeOf, startScript } from "./example.ts";
import { startProject, statusesOf } from "./worker.ts";

/** Where an example counts: in a new Redis, because all of them count one client, that of this machine. */
let places: Record<"REDIS_URL" | "UPSTASH_REDIS_REST_URL" | "UPSTASH_REDIS_REST_TOKEN", string>;
beforeEach(async () => {
  const redis = await startRedisServer();
  const { url, token, close } = await startBridge({ redis: redis.url, port: 0, token: "examples" });
  places = {
    REDIS_URL: redis.url,
    UPSTASH_REDIS_REST_URL: url,
    UPSTASH_REDIS_REST_TOKEN: token,
  };
  return async () => {
    await close();
    await redis.stop();
  };
});

const PASSES_THEN_DENIES = [...Array<number>(20).fill(200), 429, 429];

/** The limiter's own variables among the places. */
const secrets = () => {
  const { REDIS_URL: _, ...rest } = places;
  return rest;
};

describe("a server", () => {
  test.each(["express", "fastify", "node-http", "hono-node", "nest", "sveltekit", "bun", "deno"])(
    "of examples/%s answers twenty requests, and denies the next ones",
    async (name) => {
      const url = await startScript(await installExample(name), "start", places);
      const statuses: number[] = [];
      let last: Response;
      for (let request = 0; request < 22; request++) {
        last = await fetch(url);
        statuses.push(last.status);
        expect(await last.text()).toMatch(last.status === 200 ? /\bhello\b/ : /./);
      }
      expect(statuses).toEqual(PASSES_THEN_DENIES);
      expect(Number(last!.headers.get("retry-after"))).toBeGreaterThan(0);
    },
  );
});

test("examples/regions keeps one limit with two gateways, two regional stores and a home", async () => {
  const url = await startScript(await installExample("regions"), "start", {});
  const other = url.replace(/\d+$/, (port) => String(Number(port) + 1));
  const names = [];
  for (const gateway of [url, other]) {
    const health = await fetch(`${gateway}/_tidegate/health`);
    names.push(((await health.json()) as { regions?: object }).regions);
  }
  expect(names).toEqual([[{ name: "fra" }], [{ name: "iad" }]]);
  const [command] = /^curl .*$/m.exec(await readFile("examples/regions/README.md", "utf8"))!;
  const at = (gateway: string) => new URL("/", gateway).href;
  const here = command
    .replace("http://127.0.0.1:3000/", at(url))
    .replace("http://127.0.0.1:3001/", at(other));
  const { stdout } = await promisify(execFile)("bash", ["-c", here]);
  const statuses = stdout.trim().split(" ");
  expect(statuses).toHaveLength(400);
  const passed = statuses.filter((status) => status === "200").length;
  expect(passed).toBeLessThanOrEqual(300);
  expect(passed).toBeGreaterThan(200);
  expect(statuses.at(-1)).toBe("429");
});

test("examples/workers answers twenty requests, and denies the next ones", async () => {
  const worker = await startProject({ files: workerFiles("workers"), secrets: secrets() });
  expect(await statusesOf(worker, 22)).toEqual(PASSES_THEN_DENIES);
});

test("examples/llm-gateway counts the tokens that a model reports, and denies when a customer has used them up", async () => {
  const asked: unknown[] = [];
  const model = await startOrigin(async (request, response) => {
    const { headers } = request;
    asked.push([headers.authorization, JSON.parse(await new Response(request as never).text())]);
    const usage = { prompt_tokens: 1_500, completion_tokens: 500, total_tokens: 2_000 };
    response.setHeader("content-type", "application/json").end(JSON.stringify({ usage }));
  });
  const worker = await startProject({
    files: workerFiles("llm-gateway"),
    variables: { MODEL_URL: model.url },
    secrets: { ...secrets(), MODEL_KEY: "model-key", CUSTOMER_KEYS: "ada bob" },
  });
  const messages = [{ role: "user", content: "Write a haiku about tides." }];
  const ask = (key: string, more: object = {}) =>
    statusesOf(worker, 1, "/", {
      method: "POST",
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ messages, n: 9, ...more }),
    });
  // A maximum that is no positive integer reaches no model.
  expect(await ask("ada", { max_completion_tokens: -1 })).toEqual([400]);
  const statuses: number[] = [];
  for (let request = 0; request < 6; request++) statuses.push(...(await ask("ada")));
  // A request needs room for 1,000 tokens of output and a few of input.
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await ask("bob")).toEqual([200]);
  expect(await ask("eve")).toEqual([401]);
  expect(asked).toHaveLength(6);
  expect(asked[0]).toEqual([
    "Bearer model-key",
    { model: "gpt-5-mini", messages, max_completion_tokens: 1_000 },
  ]);
});

test("examples/mcp-server lets its tool fail five times, and then says when to try again", async () => {
  const url = await startScript(await installExample("mcp-server"), "start", places);
  const client = new Client({ name: "agent", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)) as never);
  onTestFinished(() => client.close());
  const ask = async (port: string) => {
    const { content } = await client.callTool({ name: "tide", arguments: { port } });
    return (content as { text: string }[])[0]!.text;
  };
  expect(await ask("Kiel")).toBe("High tide is at noon.");
  const failed: string[] = [];
  for (let call = 0; call < 5; call++) failed.push(await ask("Atlantis"));
  expect(failed).toEqual(Array<string>(5).fill("There is no port Atlantis."));
  expect(await ask("Kiel")).toBe("The limit is reached. Try again in 1 s.");
});

test("examples/next-ai-sdk counts the tokens that the AI SDK reports, and denies when a user has used them up", async () => {
  const gateway = await startOrigin((_, response) => {
    const result = {
      content: [{ type: "text", text: "High tide." }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: { inputTokens: { total: 1_500 }, outputTokens: { total: 500 } },
      warnings: [],
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(result));
  });
  const folder = await installExample("next-ai-sdk");
  // A route of Next is a function of a request; the build of an app with one is tested with examples/next.
  const serve = `
    import { createServer } from "node:http";
    import { POST } from "./app/api/chat/route.ts";
    createServer(async (incoming, outgoing) => {
      const init = { method: "POST", headers: incoming.headers, body: incoming, duplex: "half" };
      const response = await POST(new Request("http://127.0.0.1/api/chat", init));
      outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
    }).listen(process.env.PORT, "127.0.0.1");`;
  await writeFile(join(folder, "serve.ts"), serve);
  const scripts = { start: "node serve.ts" };
  await writeFile(join(folder, "package.json"), JSON.stringify({ type: "module", scripts }));
  const variables = { ...secrets(), AI_GATEWAY_URL: gateway.url, AI_GATEWAY_API_KEY: "key" };
  const url = await startScript(folder, "start", variables);
  const ask = async (user: string) => {
    const body = JSON.stringify({ prompt: "When is high tide?" });
    const { status } = await fetch(url, { method: "POST", headers: { "x-user": user }, body });
    return status;
  };
  const statuses: number[] = [];
  for (let request = 0; request < 6; request++) statuses.push(await ask("ada"));
  // A call needs room for 1,000 tokens of output and a few of input.
  expect(statuses).toEqual([200, 200, 200, 200, 200, 429]);
  expect(await ask("bob")).toBe(200);
});

test("examples/vercel-middleware sends twenty requests on, and answers the next ones itself", async () => {
  const folder = await installExample("vercel-middleware");
  const runtime = await startMiddleware(folder, secrets());
  const answers: string[] = [];
  for (let request = 0; request < 22; request++) {
    const { status, headers } = await runtime.dispatchFetch("https://shop.example/api/rides", {
      headers: { "x-real-ip": "192.0.2.1" },
    });
    answers.push(`${status} ${headers.get("x-middleware-next")}`);
  }
  expect(answers).toEqual([...Array<string>(20).fill("200 1"), "429 null", "429 null"]);
});

describe("examples and templates", () => {
  const names = readdirSync("examples");
  const text = (name: string, file: string) => readFileSync(join("examples", name, file), "utf8");

  test("name versions that the project tests", async () => {
    const wrong: string[] = [];
    const folders = [
      ...names.filter((each) => !each.startsWith("next")).map((each) => join("examples", each)),
      ...readdirSync("templates").map((each) => join("templates", each)),
    ];
    for (const folder of folders) {
      const { dependencies, devDependencies } = await manifestOf(folder);
      for (const [dependency, range] of Object.entries({ ...dependencies, ...devDependencies })) {
        const manifest = await readFile(join(placeOf(dependency), "package.json"), "utf8");
        const [major] = (JSON.parse(manifest) as { version: string }).version.split(".");
        if (!range.startsWith(`^${major}.`)) wrong.push(`${folder}: ${dependency} ${range}`);
      }
    }
    expect(wrong).toEqual([]);
  });

  test("of examples have a short README", () => {
    for (const name of names.filter((each) => each !== "gateway")) {
      expect(text(name, "README.md").split("\n").length, name).toBeLessThanOrEqual(11);
    }
  });

  test("agree with the package's types", async () => {
    const folder = await mkdtemp(join(inject("installed"), "types-"));
    const sources: readonly [string, string][] = [
      ["express", "server.ts"],
      ["fastify", "server.ts"],
      ["node-http", "server.ts"],
      ["hono-node", "server.ts"],
      ["regions", "server.ts"],
      ["bun", "server.ts"],
      ["sveltekit", "src/hooks.server.ts"],
      ["workers", "src/index.ts"],
      ["llm-gateway", "src/index.ts"],
      ["vercel-middleware", "middleware.ts"],
      ["mcp-server", "server.ts"],
      ["next-ai-sdk", "app/api/chat/route.ts"],
    ];
    const include = await Promise.all(
      sources.map(async ([name, file]) => join(await installExample(name), file)),
    );
    const compilerOptions = {
      strict: true,
      noEmit: true,
      // Node runs TypeScript that names its own files so.
      allowImportingTsExtensions: true,
      skipLibCheck: true,
      module: "nodenext",
      target: "es2024",
      types: ["node"],
      typeRoots: [placeOf("@types")],
    };
    await writeFile(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
    const { stdout } = await promisify(execFile)("tsc", ["-p", folder]).catch(
      (failure: { stdout: string }) => failure,
    );
    expect(stdout).toBe("");
  });

  test("have TypeScript that Deno accepts for Deno", async () => {
    const folder = await installExample("deno");
    const checked = promisify(execFile)("deno", ["check", "main.ts"], { cwd: folder });
    await expect(checked).resolves.toBeDefined();
  });
});

function workerFiles(name: string) {
  const read = (file: string) => readFileSync(join("examples", name, file), "utf8");
  return { "wrangler.toml": read("wrangler.toml"), "src/index.ts": read("src/index.ts") };
}
