import { once } from "node:events";
import type { AddressInfo } from "node:net";

import { serve, type ServerType } from "@hono/node-server";
import { afterAll, beforeAll } from "vitest";

import { startWorker, type Worker } from "../../../../scripts/local-stack/worker.ts";
import { createGateway } from "../../../../src/gateway/gateway.ts";
import { passUpgrades } from "../../../../src/node.ts";
import { generous } from "../../../support/gateway/gateway.ts";
import { startWireOrigin, type WireOrigin } from "./wire.ts";

/** A gateway on a platform, in front of an origin that writes its bytes itself. */
export interface Platform {
  readonly url: string;
  readonly origin: WireOrigin;
}

/** A gateway as people serve one on Node. */
export async function startOnNode(
  variables: object,
  { upgrades = true } = {},
): Promise<{ url: string; server: ServerType; endSockets(): void; stop(): Promise<void> }> {
  const gateway = createGateway({
    STORE: "memory",
    CLIENT_IP: "socket",
    RULES: generous,
    ...variables,
  });
  const server = serve({ fetch: gateway.fetch, port: 0, hostname: "127.0.0.1" });
  const endSockets = upgrades ? passUpgrades(server, gateway) : () => {};
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    endSockets,
    async stop() {
      endSockets();
      if ("closeAllConnections" in server) server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** @param variables what differs, or a function that makes it of the origin's address */
export function useNode(variables: object | ((origin: string) => object) = {}): Platform {
  let origin: WireOrigin;
  let gateway: Awaited<ReturnType<typeof startOnNode>>;
  beforeAll(async () => {
    origin = await startWireOrigin();
    gateway = await startOnNode({ ORIGIN: origin.url, ...of(variables, origin) });
  });
  afterAll(async () => {
    await gateway.stop();
    await origin.close();
  });
  return {
    get url() {
      return gateway.url;
    },
    get origin() {
      return origin;
    },
  };
}

/** A gateway as it is deployed to Workers. */
export function useWorkerd(variables: object | ((origin: string) => object) = {}): Platform {
  let origin: WireOrigin;
  let worker: Worker;
  beforeAll(async () => {
    origin = await startWireOrigin();
    const given = {
      ORIGIN: origin.url,
      STORE: "memory",
      RULES: generous,
      ...of(variables, origin),
    };
    worker = await startWorker({ variables: given, onLog: () => {} });
  });
  afterAll(async () => {
    await worker?.stop();
    await origin.close();
  });
  return {
    get url() {
      return worker.url;
    },
    get origin() {
      return origin;
    },
  };
}

function of(variables: object | ((origin: string) => object), { url }: WireOrigin): object {
  return typeof variables === "function" ? variables(url) : variables;
}

export const PLATFORMS = { node: useNode, workerd: useWorkerd } as const;
