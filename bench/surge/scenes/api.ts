import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { nowMs } from "../clock.ts";

/** An API that answers at once, and remembers when each request arrived. */
export interface Api {
  readonly url: string;
  /** By the `X-Request-Number` of the request. */
  readonly arrivals: ReadonlyMap<number, number>;
  stop(): Promise<void>;
}

export async function startApi(): Promise<Api> {
  const arrivals = new Map<number, number>();
  const server = createServer((request, response) => {
    arrivals.set(Number(request.headers["x-request-number"]), nowMs());
    request.resume();
    response.end("served\n");
  });
  server.keepAliveTimeout = 75_000;
  await once(server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }), "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    async stop() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
