import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";

import { onTestFinished } from "vitest";

import { createGateway } from "../../../src/gateway/gateway.ts";

/** An unchanged request as it reached an origin. */
export interface Seen {
  readonly method: string;
  readonly target: string;
  /** Names in lower case; of a field sent more than once, all values. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  readonly body: string;
}

export interface Origin {
  readonly url: string;
  readonly seen: readonly Seen[];
}

/** An origin for one test. It answers 200 and notes its requests, or does as the listener says. */
export async function startOrigin(listener?: RequestListener): Promise<Origin> {
  const seen: Seen[] = [];
  const note: RequestListener = (request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      const { method = "", url: target = "", headersDistinct } = request;
      seen.push({ method, target, fields: headersDistinct as Seen["fields"], body });
      response.end("origin");
    });
  };
  const server = createServer(listener ?? note);
  await once(server.listen(0, "127.0.0.1"), "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

/** A fixed window so long that no test sees it end. */
export function quota(name: string, limit: number): object {
  return { algorithm: "fixed-window", name, limit, window: "30d" };
}

export type Ask = (path: string, init?: RequestInit & { duplex?: "half" }) => Promise<Response>;

/** A gateway that counts in memory, and how to ask it; every request is of one client unless it says otherwise. */
export function gatewayTo(origin: string, rules: unknown, variables: object = {}): Ask {
  const gateway = createGateway({
    ORIGIN: origin,
    STORE: "memory",
    CLIENT_IP: "cloudflare",
    RULES: rules,
    ...variables,
  });
  return async (path, init) => {
    const request = new Request(`http://gateway.example${path}`, init);
    if (!request.headers.has("cf-connecting-ip")) {
      request.headers.set("cf-connecting-ip", "192.0.2.1");
    }
    return gateway.fetch(request);
  };
}

/** A rule for everything, with a limit that no test reaches. */
export const generous = [{ path: "/*", policies: [quota("all", 1_000_000)] }];
