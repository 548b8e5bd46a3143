import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";

import { createLimiter, failures, fixedWindow, memoryStore } from "../../src/index.ts";
import { limitTool } from "../../src/llm.ts";

const limiterOf = () =>
  createLimiter({
    store: memoryStore(),
    policies: [
      fixedWindow({ name: "calls", limit: 9, window: "1h" }),
      fixedWindow({ name: "errors", counts: failures(), limit: 2, window: "1h" }),
    ],
  });

/** A client of MCP's own server, whose tool answers as the question says. */
async function clientOf(limiter: ReturnType<typeof limiterOf>): Promise<Client> {
  const server = new McpServer({ name: "tides", version: "1.0.0" });
  const tide = limitTool(
    limiter,
    { identity: "ada", failures: ["errors"] },
    ({ q }: { q: string }) => {
      if (q === "throw") throw new Error("no tide");
      return { isError: q === "error", content: [{ type: "text" as const, text: `tide: ${q}` }] };
    },
  );
  server.registerTool("tide", { inputSchema: { q: z.string() } }, tide);
  const client = new Client({ name: "agent", version: "1.0.0" });
  const [ofServer, ofClient] = InMemoryTransport.createLinkedPair();
  await server.connect(ofServer);
  await client.connect(ofClient);
  onTestFinished(() => client.close());
  return client;
}

test("a result with isError and an error are failures, and a result without is none", async () => {
  const limiter = limiterOf();
  const client = await clientOf(limiter);
  const ask = (q: string) => client.callTool({ name: "tide", arguments: { q } });
  const left = async () => (await limiter.peek("ada")).policies.map(({ remaining }) => remaining);
  expect(await ask("noon")).toMatchObject({ content: [{ text: "tide: noon" }] });
  expect(await left()).toEqual([8, 2]);
  expect(await ask("error")).toMatchObject({ isError: true, content: [{ text: "tide: error" }] });
  expect(await left()).toEqual([7, 1]);
  expect(await ask("throw")).toMatchObject({ isError: true, content: [{ text: "no tide" }] });
  expect(await left()).toEqual([6, 0]);
  // The third failure would be one too many, so nothing is run.
  expect(await ask("noon")).toEqual({
    isError: true,
    content: [{ type: "text", text: "The limit is reached. Try again in 1 s." }],
  });
  expect(await left()).toEqual([6, 0]);
});

test("the caller is a function of the tool's arguments, and a call has a cost", async () => {
  const limiter = limiterOf();
  const tide = limitTool(
    limiter,
    {
      identity: async (_: object, { user }: { user: string }) => user,
      cost: { calls: 4 },
      failures: ["errors"],
    },
    () => ({ content: "noon" }),
  );
  expect(await tide({}, { user: "bob" })).toEqual({ content: "noon" });
  await tide({}, { user: "bob" });
  expect(await tide({}, { user: "bob" })).toMatchObject({ isError: true });
  expect((await limiter.peek("bob")).policies.map(({ remaining }) => remaining)).toEqual([1, 2]);
});

test("an option that is unknown, and a tool that is no function, are faults", () => {
  const options = { identity: "ada", failure: ["errors"] };
  expect(() => limitTool(limiterOf(), options as never, 5 as never)).toThrow(/failure[^]*tool: 5/);
});
