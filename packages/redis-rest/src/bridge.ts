import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";

import { allowedCommands } from "./allowed-commands.ts";
import { bearerAuth } from "./auth.ts";
import { clusterBackend } from "./cluster-backend.ts";
import { crossSiteGuard } from "./cross-site.ts";
import { execute } from "./execute.ts";
import { httpServer } from "./http-server.ts";
import { singleBackend } from "./single-backend.ts";
import { emulateUpstash } from "./upstash-emulation.ts";

export interface BridgeOptions {
  /** `redis://` or `rediss://`; for a cluster, one or more of its nodes, separated by commas. */
  redis: string;
  /** For a URL without one. */
  password?: string;
  /** 0 takes a free one. */
  port: number;
  token: string;
  /** One that is taken beside `token`, until all clients have that. */
  previousToken?: string;
  host?: string;
  /** Names besides those of loopback and `host` that clients may call it by, without port. */
  allowedHosts?: readonly string[];
  cluster?: boolean;
  emulate?: "upstash";
  /** Commands that can harm other clients, and run all the same: names of `DANGEROUS`. */
  allow?: readonly string[];
  /** Gets a line when Redis is lost, and one when it is back. Default: they are not told. */
  tell?: (line: string) => void;
}

export interface Bridge {
  readonly url: string;
  readonly token: string;
  /** Whether Redis answered by the time the bridge listened. It is tried again for as long as it takes. */
  readonly connected: boolean;
  /** HTTP requests received so far, whatever the answer. */
  readonly requests: number;
  /** Redis commands in those that were well-formed and authorized. */
  readonly commands: number;
  close(): Promise<void>;
}

/** Serves the Upstash REST protocol in front of a Redis or a Redis Cluster. */
export async function startBridge(options: BridgeOptions): Promise<Bridge> {
  const { token, previousToken, port, host = "127.0.0.1", allowedHosts = [] } = options;
  const { redis, password, tell = () => {} } = options;
  const stock = options.cluster
    ? clusterBackend(redis.split(","), password, tell)
    : singleBackend(redis, password, tell);
  const backend = options.emulate === "upstash" ? emulateUpstash(stock) : stock;
  const requireAllowed = allowedCommands(options.allow);
  let requests = 0;
  let commands = 0;

  const server = httpServer({
    refuseCrossSite: crossSiteGuard([host.includes(":") ? `[${host}]` : host, ...allowedHosts]),
    authenticate: bearerAuth(previousToken === undefined ? [token] : [token, previousToken]),
    execute(ask, base64) {
      commands += ask.kind === "command" ? 1 : ask.commands.length;
      return execute(ask, requireAllowed, backend, base64);
    },
  });
  server.on("request", () => requests++);
  if (options.emulate === "upstash") {
    server.prependListener("request", (_, response) => {
      response.setHeader("upstash-sync-token", "emulated");
    });
  }

  let connected: boolean;
  try {
    connected = await backend.connected();
    await once(server.listen(port, host), "listening");
  } catch (error) {
    backend.close();
    throw error;
  }
  const address = server.address() as AddressInfo;
  const name = address.family === "IPv6" ? `[${address.address}]` : address.address;

  let closed: Promise<void> | undefined;

  return {
    url: `http://${name}:${address.port}`,
    token,
    connected,
    get requests() {
      return requests;
    },
    get commands() {
      return commands;
    },
    close() {
      return (closed ??= shutDown(server).finally(() => backend.close()));
    },
  };
}

/** Requests under way get a moment to finish. */
async function shutDown(server: Server): Promise<void> {
  const closed = once(server, "close");
  server.close();
  const patience = setTimeout(() => server.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(patience);
}
