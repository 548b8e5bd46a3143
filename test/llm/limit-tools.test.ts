import { text } from "node:stream/consumers";
import { gzipSync } from "node:zlib";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import { createGateway } from "../../src/gateway/gateway.ts";
import { limitTools, type LimitToolsOptions } from "../../src/llm.ts";
import { waitInWords } from "../../src/runtime/wait-in-words.ts";
import { listen, serveTools } from "./tides-server.ts";

/** The requests that reached the server: the body, and the tool that the gateway has named. */
let arrived: { readonly body: string; readonly tool: string | undefined }[];
let origin: Awaited<ReturnType<typeof listen>>;
beforeEach(async () => {
  arrived = [];
  origin = await listen(async (request, response) => {
    const body = await text(request);
    arrived.push({ body, tool: request.headers["x-mcp-tool"] as string | undefined });
    const tools = ["search", "fetch", "echo"];
    const transport = await serveTools(tools, (tool, q) => `${tool} ${q.length}`);
    let parsed: unknown;
    try {
      parsed = JSON.parse(body);
    } catch {
      response.writeHead(400).end("no JSON");
      return;
    }
    await transport.handleRequest(request, response, parsed);
  });
});
afterEach(() => origin.stop());

const TOOLS = {
  algorithm: "fixed-window",
  name: "tools",
  limit: 3,
  window: "1d",
  partition: [["header:x-api-key", "header:x-mcp-tool"]],
  onMissing: "skip",
};

/** A gateway in front of the server, where searches have a limit of their own. */
function open(options: LimitToolsOptions = {}, window = "1d") {
  const gateway = createGateway({
    ORIGIN: origin.url,
    STORE: "memory",
    CLIENT_IP: { trustedHops: 1 },
    PREFIX: crypto.randomUUID(),
    RULES: [
      {
        path: "/mcp",
        partition: ["header:x-api-key"],
        onMissing: "share",
        plan: "header:x-mcp-tool",
        policies: [
          { ...TOOLS, window },
          { algorithm: "fixed-window", name: "requests", limit: 1_000, window: "1d" },
        ],
      },
    ],
    PLANS: { search: { tools: { limit: 2 } } },
  });
  return limitTools(gateway, options);
}

type App = ReturnType<typeof open>;

const post = (
  app: App,
  body: BodyInit | null,
  headers: Record<string, string> = {},
  path = "/mcp",
) =>
  app.fetch(
    new Request(`http://gateway.test${path}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "x-api-key": "k_0123456789abcdefghij",
        ...headers,
      },
      body,
      duplex: "half",
    } as RequestInit),
  );

const callOf = (name: string, q = "x", id = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: { q } } });

async function connect(app: App): Promise<Client> {
  const client = new Client({ name: "agent", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(new URL("http://gateway.test/mcp"), {
    requestInit: { headers: { "x-api-key": "k_0123456789abcdefghij" } },
    fetch: (url, init) => app.fetch(new Request(url, init)),
  });
  await client.connect(transport as never);
  return client;
}

const use = (client: Client, name: string) => client.callTool({ name, arguments: { q: "x" } });

describe("behind the gateway, with MCP's own client and server,", () => {
  test("each tool has its limit, and a request without a call has none of them", async () => {
    const client = await connect(open());
    for (let i = 0; i < 5; i++) expect((await client.listTools()).tools).toHaveLength(3);
    for (const [name, limit] of [
      ["search", 2],
      ["fetch", 3],
    ] as const) {
      for (let i = 0; i < limit; i++) {
        expect((await use(client, name)).content).toEqual([{ type: "text", text: `${name} 1` }]);
      }
      await expect(use(client, name)).rejects.toMatchObject({ code: 429 });
    }
    const calls = arrived.filter(({ body }) => body.includes("tools/call"));
    expect(calls.map(({ tool }) => tool)).toEqual(["search", "search", "fetch", "fetch", "fetch"]);
    await client.close();
  });

  test("a client that waits as long as the error says is let through", async () => {
    const client = await connect(open({ status: 200 }, "1s"));
    let denied = 0;
    for (let i = 0; i < 6; i++) {
      try {
        await use(client, "search");
      } catch (error) {
        expect(error).toMatchObject({ code: -32_023, data: { retryAfter: 1 } });
        denied++;
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        await use(client, "search");
      }
    }
    expect(denied).toBeGreaterThan(0);
    await client.close();
  });
});

test("a denial is an error of JSON-RPC with the call's id, the fields of the decision, and a wait", async () => {
  const app = open();
  for (let i = 0; i < 3; i++) expect((await post(app, callOf("fetch"))).status).toBe(200);
  const denied = await post(app, callOf("fetch", "x", 7));
  expect(denied.status).toBe(429);
  const seconds = Number(denied.headers.get("retry-after"));
  expect(seconds).toBeGreaterThan(0);
  expect(denied.headers.get("ratelimit")).toContain('"tools";r=0');
  expect(denied.headers.get("content-type")).toBe("application/json");
  expect(await denied.json()).toEqual({
    jsonrpc: "2.0",
    id: 7,
    error: {
      code: -32_023,
      message: `The limit is reached. Try again in ${waitInWords(seconds)}.`,
      data: { retryAfter: seconds },
    },
  });
});

test.each([undefined, "Wed, 21 Oct 2026 07:28:00 GMT", "-1", "1.5"])(
  "a denial of an origin with the wait %j, whose body breaks off, tells no wait and leaves no rejection unhandled",
  async (wait) => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    onTestFinished(() => void process.off("unhandledRejection", note));
    const app = limitTools({
      fetch() {
        const broken = new ReadableStream({
          start: (controller) => controller.error(new Error("the origin has gone")),
        });
        return new Response(broken, {
          status: 429,
          headers: {
            "Content-Type": "application/problem+json",
            "Content-Encoding": "gzip",
            ETag: '"a"',
            ...(wait && { "Retry-After": wait }),
          },
        });
      },
    });
    const denied = await post(app, callOf("fetch", "x", 7));
    expect(denied.status).toBe(429);
    expect(await denied.json()).toEqual({
      jsonrpc: "2.0",
      id: 7,
      error: { code: -32_023, message: "The limit is reached." },
    });
    for (const name of ["content-encoding", "etag"]) expect(denied.headers.get(name)).toBeNull();
    await new Promise((resolve) => setImmediate(resolve));
    expect(unhandled).toEqual([]);
  },
);

describe("a call counts under", () => {
  test.each<
    [counted: string | undefined, what: string, body: BodyInit, headers: Record<string, string>]
  >([
    ["other", "a tool that is not in the list", callOf("sea-rch"), {}],
    ["other", "a name that is none", callOf("a b"), {}],
    ["other", "a name that is no text", callOf(7 as never), {}],
    ["other", "no name", JSON.stringify({ id: 1, method: "tools/call" }), {}],
    ["other", "a compressed body", gzipSync(callOf("fetch")), { "content-encoding": "gzip" }],
    ["other", "a long body", callOf("fetch", "x".repeat(1_000)), {}],
    ["fetch", "its own name, whatever the client says", callOf("fetch"), { "x-mcp-tool": "other" }],
    ["fetch", "its own name in a batch of one", `[${callOf("fetch")}]`, {}],
    [
      undefined,
      "nothing",
      JSON.stringify({ id: 1, method: "tools/list" }),
      { "x-mcp-tool": "fetch" },
    ],
  ])("%s: %s", async (counted, _what, body, headers) => {
    const app = open({ tools: ["search", "fetch"], maxBytes: 500 });
    await (await post(app, body, headers)).text();
    expect(arrived.map(({ tool }) => tool)).toEqual([counted]);
    if (typeof body === "string") expect(arrived[0]!.body).toBe(body);
  });
});

test("a batch of several calls is refused, and reaches no server", async () => {
  const response = await post(open(), `[${callOf("fetch", "x", 3)},${callOf("search")}]`);
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ id: 3, error: { code: -32_600 } });
  expect(arrived).toEqual([]);
});

test("a body of any length, in chunks that cut characters, arrives whole, and no more of it is read ahead than may be", async () => {
  const bytes = new TextEncoder().encode(callOf("echo", "é漢🌊".repeat(40_000)));
  let given = 0;
  const slowly = new ReadableStream({
    pull(controller) {
      const chunk = bytes.subarray(given, given + 999);
      given += chunk.byteLength;
      if (chunk.byteLength > 0) controller.enqueue(chunk);
      else controller.close();
    },
  });
  let readAhead = -1;
  const app = limitTools({
    async fetch(request: Request) {
      readAhead = given;
      return new Response(await request.text());
    },
  });
  const response = await post(app, slowly);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
  expect(readAhead).toBeGreaterThan(65_536);
  expect(readAhead).toBeLessThan(65_536 + 4 * 999);
});

test("a client that hangs up amid its body ends the reading of it", async () => {
  let cancelled: unknown;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(10_000)),
    cancel: (reason) => void (cancelled = reason),
  });
  const app = limitTools({
    async fetch(request: Request) {
      await request.body!.cancel("gone");
      return new Response(null, { status: 204 });
    },
  });
  expect((await post(app, endless)).status).toBe(204);
  expect(cancelled).toBe("gone");
});

test.each(["/mcp/", "/MCP", "//mcp", "/%6dcp", "/mcp/."])(
  "a call to %s, which servers take for the endpoint, counts as another tool",
  async (path) => {
    const app = open();
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      statuses.push((await post(app, callOf("search"), {}, path)).status);
    }
    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(arrived.map(({ tool }) => tool)).toEqual(["other", "other", "other"]);
  },
);

test("other paths and methods pass whole, without a field that a client made up", async () => {
  const seen: (string | null)[] = [];
  const app = limitTools({
    fetch(request: Request) {
      seen.push(request.headers.get("x-mcp-tool"));
      return new Response(request.body);
    },
  });
  const headers = { "x-mcp-tool": "search" };
  await app.fetch(new Request("http://gateway.test/mcp", { headers }));
  const other = new Request("http://gateway.test/other", {
    method: "POST",
    headers,
    body: "as it is",
  });
  expect(await (await app.fetch(other)).text()).toBe("as it is");
  expect(seen).toEqual([null, "other"]);
});

test.each<[string, object]>([
  ["tool", { tool: "search" }],
  ["maxBytes", { maxBytes: 0 }],
  ["path", { path: "mcp" }],
  ["tools", { tools: "search" }],
  ["status", { status: 500 }],
  ["field", { field: "x mcp" }],
  ["other", { other: "a b" }],
])("%s is a fault", (path, options) => {
  const inner = { fetch: () => new Response() };
  expect(() => limitTools(inner, options as LimitToolsOptions)).toThrow(
    expect.objectContaining({ faults: [expect.objectContaining({ path })] }),
  );
});
