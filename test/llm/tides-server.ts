import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import { z } from "zod";

/** MCP's own server with these tools, of which each takes a text. */
export async function serveTools(
  tools: readonly string[],
  run: (tool: string, q: string) => string,
  options: ConstructorParameters<typeof StreamableHTTPServerTransport>[0] = {},
): Promise<StreamableHTTPServerTransport> {
  const server = new McpServer({ name: "tides", version: "1.0.0" });
  for (const name of tools) {
    server.registerTool(name, { inputSchema: { q: z.string().optional() } }, ({ q = "" }) => ({
      content: [{ type: "text", text: run(name, q) }],
    }));
  }
  const transport = new StreamableHTTPServerTransport(options);
  await server.connect(transport as never);
  return transport;
}

export async function listen(handler: RequestListener) {
  const server = createServer(handler);
  await once(server.listen(0, "127.0.0.1"), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop(): void {
      server.closeAllConnections();
      server.close();
    },
  };
}
