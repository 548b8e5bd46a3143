import type { RequestListener } from "node:http";

import express from "express";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { limitTools } from "../../src/llm.ts";
import { listen, serveTools } from "./tides-server.ts";
import { ATTACKS, CALL } from "./two-readings.ts";

/*
 * Bodies that one server reads as a call of a tool and another does not. Each is refused, or counted; those that reach MCP's
 * own server, or one behind Express, run no tool that was not counted.
 */

/** The tools that ran. */
let ran: string[];
const servers: { stop(): void }[] = [];
let sdk: string;
let behindExpress: string;
beforeEach(() => void (ran = []));

const handle: RequestListener = async (request, response) => {
  const run = (tool: string) => String(ran.push(tool));
  const transport = await serveTools(["search", "free"], run, { enableJsonResponse: true });
  await transport.handleRequest(request, response, (request as { body?: unknown }).body);
};

beforeAll(async () => {
  const app = express();
  app.use(express.json({ type: () => true, strict: false }));
  app.post("/mcp", (request, response) => void handle(request, response));
  const opened = [await listen(handle), await listen(app)] as const;
  servers.push(...opened);
  [sdk, behindExpress] = [opened[0].url, opened[1].url];
});
afterAll(() => servers.forEach((server) => server.stop()));

/** The tools that a limiter would count, and whether the request has passed. */
interface Outcome {
  readonly response: Response;
  readonly passed: boolean;
  readonly tool: string | null;
}

async function post(body: BodyInit | null, headers: object = {}, server = sdk): Promise<Outcome> {
  let passed = false;
  let tool: string | null = null;
  const app = limitTools({
    async fetch(request: Request) {
      passed = true;
      tool = request.headers.get("x-mcp-tool");
      return fetch(new Request(`${server}/mcp`, request));
    },
  });
  const asked = new Request("http://gateway.test/mcp", {
    method: "POST",
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      ...headers,
    },
    body,
  });
  return { response: await app.fetch(asked), passed, tool };
}

test.for(ATTACKS)("%s is refused, and reaches no server", async ([, code, body, headers]) => {
  const { response, passed } = await post(body, headers);
  expect(passed).toBe(false);
  expect(response.status).toBe(400);
  expect(response.headers.get("content-type")).toBe("application/json");
  expect(await response.json()).toMatchObject({
    jsonrpc: "2.0",
    error: { code, message: expect.stringMatching(/^[A-Z].+\.$/) as string },
  });
});

describe("a call is counted as its tool, and runs,", () => {
  test.each<[string, BodyInit, Record<string, string>?]>([
    ["with escapes", CALL.replace("method", "meth\\u006fd").replace("search", "\\u0073earch")],
    ["with a mark of order", `\uFEFF${CALL}`],
    ["with blanks around it", `\r\n\t ${CALL} \n`],
    ["with a charset in capitals", CALL, { "content-type": 'application/json ; charset="UTF-8"' }],
    [
      "with a name of its own in arguments",
      CALL.replace('"search"', '"search","arguments":{"q":"{\\"method\\":1}"}'),
    ],
    ["as a batch of one", `[${CALL}]`],
    [
      "between messages that call nothing",
      `[{"jsonrpc":"2.0","method":"notifications/initialized"},${CALL}]`,
    ],
  ])("%s", async (_what, body, headers) => {
    for (const server of [sdk, behindExpress]) {
      expect(await post(body, headers, server)).toMatchObject({ passed: true, tool: "search" });
    }
    // Express takes no mark of order.
    expect([...new Set(ran)]).toEqual(["search"]);
  });
});

test("a message whose names only look alike passes uncounted, and runs nothing", async () => {
  for (const body of [
    '{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"name":"tools/call"}}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","methods":["tools/call"]}',
    '{"jsonrpc":"2.0","id":1,"result":{"method":"tools/call"}}',
  ]) {
    expect(await post(body)).toMatchObject({ passed: true, tool: null });
  }
  expect(ran).toEqual([]);
});

test("without limitTools(), MCP's own server and Express run some of the refused requests", async () => {
  const headers = { accept: "application/json, text/event-stream" };
  for (const [, , body, own] of ATTACKS) {
    for (const server of [sdk, behindExpress]) {
      const asked = { "content-type": "application/json", ...headers, ...own };
      await (await fetch(`${server}/mcp`, { method: "POST", headers: asked, body })).text();
    }
  }
  expect(ran.length).toBeGreaterThan(10);
});

test.each([
  ["arrays", "[", "]"],
  ["objects", '{"a":', "}"],
])(
  "a body of ten thousand nested %s is read, or refused, without a stack of them",
  async (_what, open, close) => {
    const deep = open.repeat(10_000) + "1" + close.repeat(10_000);
    const { passed, tool } = await post(CALL.replace('"search"', `"search","arguments":${deep}`));
    expect({ passed, tool }).toEqual({ passed: true, tool: "search" });
    expect(await post(deep)).toMatchObject({ passed: false });
  },
);

test("a number that JavaScript cannot hold is no id of an error", async () => {
  const ids = ["12345678901234567890", "1e400", "1.5", '"a"', "7"].map(async (id) => {
    const { response } = await post(
      CALL.replace('"id":1', `"id":${id}`).replace("method", "Method"),
    );
    return ((await response.json()) as { id: unknown }).id;
  });
  expect(await Promise.all(ids)).toEqual([null, null, null, "a", 7]);
});
