// Measures the cost of counting for a gateway: the CPU of a request with metrics on, compared with off. Run it by hand, with the way
// to the origin that an edge has: `node --conditions edge-light bench/metrics/main.ts [rounds]`

import { createGateway } from "../../src/gateway/gateway.ts";
import { metrics } from "../../src/metrics/recorder.ts";
import { compare, interleave } from "../benchmark/compare.ts";

const rounds = Number(process.argv[2] ?? 21);
const REQUESTS = 10_000;

const REDIS = "https://redis.example.com";
const WAIT_US = 3_600e6;

/** Redis and the origin answer at once, so that only the gateway is measured. */
globalThis.fetch = async (input) => {
  if (input !== REDIS) return new Response("origin");
  const row = admits ? [1, 40, 0, 1e6] : [0, 0, WAIT_US, WAIT_US];
  return Response.json({ result: [Date.now() * 1000, ...row] });
};
let admits = true;

/** A gateway with a rule that the origin serves, or that denies. */
function gatewayWith(setting: "on" | "off") {
  return createGateway(
    {
      ORIGIN: "https://origin.example.com",
      UPSTASH_REDIS_REST_URL: REDIS,
      UPSTASH_REDIS_REST_TOKEN: "token",
      CLIENT_IP: "cloudflare",
      METRICS: setting,
      RULES: [
        {
          path: "/api/*",
          policies: [{ algorithm: "fixed-window", name: "api", limit: 100, window: "1h" }],
        },
      ],
    },
    { metrics },
  );
}

/** Microseconds of CPU of a request by one of this many clients in turn. */
function measuring(gateway: ReturnType<typeof gatewayWith>, clients: number, admitted: boolean) {
  const requests = Array.from(
    { length: clients },
    (_, i) =>
      new Request("https://gateway.example/api/rides", {
        headers: { "cf-connecting-ip": `203.0.${i >> 8}.${i & 255}` },
      }),
  );
  return async () => {
    admits = admitted;
    const before = process.cpuUsage();
    for (let i = 0; i < REQUESTS; i++) await gateway.fetch(requests[i % clients]!);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / REQUESTS;
  };
}

for (const [name, clients, admitted] of [
  ["known denials of one client", 1, false],
  ["known denials of 1,000 clients", 1_000, false],
  ["allowed requests of 1,000 clients", 1_000, true],
] as const) {
  const [on, off] = [gatewayWith("on"), gatewayWith("off")].map((gateway) =>
    measuring(gateway, clients, admitted),
  );
  // Compiled, and with all denials known.
  for (let i = 0; i < 3; i++) for (const measure of [on!, off!]) await measure();
  const [ours, theirs] = await interleave([on!, off!], rounds);
  const { tidegate, peer, ratio } = compare(ours!, "off", theirs!);
  const [a, b] = [tidegate, peer.value].map((us) => us.toFixed(2));
  console.log(
    `${name}: ${a} us with metrics, ${b} us without; ratio ${ratio.median.toFixed(3)} (${ratio.min.toFixed(3)} to ${ratio.max.toFixed(3)})`,
  );
}
