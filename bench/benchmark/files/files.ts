import { Session } from "node:inspector/promises";
import { fileURLToPath } from "node:url";

import { Hono } from "hono";

import { rateLimit } from "../../../src/hono.ts";
import { createLimiter, limit, tokenBucket } from "../../../src/index.ts";
import { atMost, type Part } from "../figure.ts";

/** Handles a request of a client. */
type Handle = (client: string) => Promise<unknown>;

const SRC = fileURLToPath(new URL("../../../src/", import.meta.url));
const REDIS = { url: "https://redis.example", token: "t" };
const ENVIRONMENT = {
  UPSTASH_REDIS_REST_URL: REDIS.url,
  UPSTASH_REDIS_REST_TOKEN: REDIS.token,
};
const POLICY = tokenBucket({ name: "api", limit: 20, refill: 10, per: "1s" });

/** The ways of a request to Redis and back, and the most files that a reader should have to open for each. */
const WAYS: readonly {
  readonly name: string;
  readonly most: number;
  readonly open: () => Handle;
}[] = [
  {
    name: "limit()",
    most: 15,
    open() {
      Object.assign(process.env, ENVIRONMENT);
      return (client) => limit(client, POLICY);
    },
  },
  {
    name: "createLimiter()",
    most: 15,
    open() {
      const limiter = createLimiter({ redis: REDIS, policies: [POLICY] });
      return (client) => limiter.limit(client);
    },
  },
  {
    name: "rateLimit() of Hono",
    most: 22,
    open() {
      const app = new Hono();
      app.use(rateLimit({ redis: REDIS, clientIp: { trustedHops: 1 }, policies: [POLICY] }));
      app.get("/", (c) => c.text("hello"));
      return async (client) =>
        app.request("/", { headers: { "x-forwarded-for": `192.0.2.${client}` } });
    },
  },
];

/** The files of `src` of which a function runs while a request is handled that Redis admits, as V8 counts them. */
export const filesPart: Part = async () => {
  const { fetch } = globalThis;
  const environment = { ...process.env };
  // Redis's time, and the four numbers of the policy.
  globalThis.fetch = async () => {
    const body = JSON.stringify({ result: [Date.now() * 1000, 1, 9, 0, 3_600e6] });
    return new Response(body, { headers: { "content-length": String(body.length) } });
  };
  const session = new Session();
  session.connect();
  try {
    const figures = [];
    for (const { name, most, open } of WAYS) {
      const files = await filesOf(session, open());
      figures.push({
        name: `${name}: files of src that a request passes, to Redis and back`,
        unit: "",
        tidegate: files.length,
        because: files.join(", "),
        target: atMost(most, "tidegate"),
      });
    }
    return figures;
  } finally {
    session.disconnect();
    // Other parts measure in this process, too.
    globalThis.fetch = fetch;
    for (const name of Object.keys(ENVIRONMENT)) delete process.env[name];
    Object.assign(process.env, environment);
  }
};

async function filesOf(session: Session, handle: Handle): Promise<string[]> {
  // The first requests make what later ones find made.
  for (const client of ["1", "2", "3"]) await handle(client);
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  await session.post("Profiler.takePreciseCoverage");
  await handle("4");
  const { result } = await session.post("Profiler.takePreciseCoverage");
  await session.post("Profiler.stopPreciseCoverage");
  return result
    .filter(({ functions }) => functions.some(({ ranges }) => ranges[0]!.count > 0))
    .map(({ url }) => (url.startsWith("file:") ? fileURLToPath(url) : ""))
    .filter((file) => file.startsWith(SRC))
    .map((file) => file.slice(SRC.length))
    .sort();
}
