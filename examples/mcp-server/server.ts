import { createServer } from "node:http";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { Redis } from "ioredis";
import { createLimiter, failures, fixedWindow } from "tidegate";
import { limitTool } from "tidegate/llm";
import { fromIoredis } from "tidegate/node";
import { z } from "zod";

const redis = new Redis(process.env["REDIS_URL"] ?? "redis://127.0.0.1:6379", {
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
});
redis.on("error", (error) => console.error(`redis: ${error.message}`));

const limiter = createLimiter({
  redis: fromIoredis(redis),
  policies: [
    fixedWindow({ name: "calls", limit: 20, window: "1h" }),
    fixedWindow({ name: "errors", counts: failures(), limit: 5, window: "10m" }),
  ],
});

/** Use the client that you have authenticated as the identity. */
const tide = limitTool(
  limiter,
  { identity: "everybody", failures: ["errors"] },
  ({ port }: { port: string }) => {
    if (port !== "Kiel") throw new Error(`There is no port ${port}.`);
    return { content: [{ type: "text" as const, text: "High tide is at noon." }] };
  },
);

createServer(async (request, response) => {
  const server = new McpServer({ name: "tides", version: "1.0.0" });
  server.registerTool("tide", { inputSchema: { port: z.string() } }, tide);
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: undefined });
  response.on("close", () => void server.close());
  await server.connect(transport);
  await transport.handleRequest(request, response);
}).listen(Number(process.env["PORT"] ?? 3000), "127.0.0.1");
