import { gzipSync } from "node:zlib";

import { bundle } from "../../support/bundle.ts";
import { atMost, type Figure } from "../figure.ts";

const BUCKET = `tokenBucket({ limit: 20, refill: 10, per: "1s" })`;
const WINDOW = `fixedWindow({ limit: 600, window: "1m" })`;
const LOG = `slidingWindowLog({ limit: 600, window: "1m" })`;

/**
 * The imports and calls of a worker, and the most bytes that it may load for them, minified and gzipped: a hundredth above its
 * size when the number was last set. A test refuses more, so that growth is a decision.
 */
const WORKERS: readonly (readonly [name: string, budget: number, source: string])[] = [
  [
    "limiterWith({}), a token bucket and a fixed window",
    24_100,
    `import { fixedWindow, limiterWith, tokenBucket } from "./src/core.ts";
     export const limiter = limiterWith({})({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "limiterWith({}), a token bucket and a log",
    24_900,
    `import { limiterWith, slidingWindowLog, tokenBucket } from "./src/core.ts";
     export const limiter = limiterWith({})({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "limiterWith({ leases }), a token bucket and a log",
    29_800,
    `import { leases, limiterWith, slidingWindowLog, tokenBucket } from "./src/core.ts";
     export const limiter = limiterWith({ leases })({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "createLimiter(), a token bucket and a log",
    58_100,
    `import { createLimiter, slidingWindowLog, tokenBucket } from "./src/index.ts";
     export const limiter = createLimiter({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "rateLimitWith({}) of Hono, a token bucket and a fixed window",
    28_400,
    `import { fixedWindow, tokenBucket } from "./src/core.ts";
     import { rateLimitWith } from "./src/hono.ts";
     export const limit = rateLimitWith({})({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "rateLimit() of Hono, a token bucket and a fixed window",
    65_200,
    `import { fixedWindow, tokenBucket } from "./src/index.ts";
     import { rateLimit } from "./src/hono.ts";
     export const limit = rateLimit({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "rateLimit() of Vercel, a token bucket and a fixed window",
    65_400,
    `import { fixedWindow, tokenBucket } from "./src/index.ts";
     import { rateLimit } from "./src/vercel.ts";
     export const limit = rateLimit({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "gatewayWith({}) with its packages",
    70_500,
    `import { gatewayWith } from "./src/gateway.ts";
     export default gatewayWith({})(process.env);`,
  ],
  [
    "gatewayWith({ live }) with its packages",
    81_000,
    `import { gatewayWith, live } from "./src/gateway.ts";
     export default gatewayWith({ live })(process.env);`,
  ],
  ["gateway worker with its packages", 136_600, `export { default } from "./src/worker.ts";`],
];

/** The bundles of workers with a part of the package. */
export async function measureWorkers(): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const [name, budget, source] of WORKERS) {
    const tidegate = gzipSync(await bundle(source), { level: 9 }).length;
    const target = atMost(budget, "tidegate");
    figures.push({ name: `${name}, gzipped`, unit: "bytes", tidegate, target });
  }
  return figures;
}
