import { serve } from "@hono/node-server";
import { createGateway } from "tidegate/gateway";

import { startDistance, startStore, TOKEN } from "./stores.ts";

const port = Number(process.env["PORT"] ?? 3000);
const REGIONS = ["fra", "iad"];

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit());

const hostname = "127.0.0.1";
serve({ fetch: () => new Response("hello"), port: port + 2, hostname });
const home = startDistance(await startStore(port + 3, port + 4), port + 5, 100);

const gateways = [];
for (const [i, name] of REGIONS.entries()) {
  const nearby = await startStore(port + 6 + 2 * i, port + 7 + 2 * i);
  const gateway = createGateway({
    ORIGIN: `http://127.0.0.1:${port + 2}`,
    CLIENT_IP: "socket",
    STORE: "redis",
    UPSTASH_REDIS_REST_URL: home,
    UPSTASH_REDIS_REST_TOKEN: TOKEN,
    REGION_REDIS_REST_URL: nearby,
    REGION_REDIS_REST_TOKEN: TOKEN,
    REGION_NAME: name,
    REGIONS: REGIONS.length,
    // A machine under load answers later than a network.
    TIMEOUT: "2s",
    RULES: [
      {
        path: "/*",
        policies: [{ algorithm: "fixed-window", name: "all", limit: 300, window: "1m" }],
      },
    ],
  });
  gateways.push(gateway);
}

// The first one listens last: then all of it is there.
for (const i of [1, 0]) serve({ fetch: gateways[i]!.fetch, port: port + i, hostname });
