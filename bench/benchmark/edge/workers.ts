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
    "limit() with clientKey(), a token bucket",
    19_920,
    `import { clientKey, limit, tokenBucket } from "./src/index.ts";
     export const decide = (address) => limit(clientKey(address), ${BUCKET});`,
  ],
  [
    "createLimiter(), a token bucket",
    23_790,
    `import { createLimiter, tokenBucket } from "./src/index.ts";
     export const limiter = createLimiter({ policies: [${BUCKET}] });`,
  ],
  [
    "createLimiter(), a token bucket and a log",
    25_070,
    `import { createLimiter, slidingWindowLog, tokenBucket } from "./src/index.ts";
     export const limiter = createLimiter({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "createLimiter() with plans(), two token buckets and a sliding window",
    26_070,
    `import { createLimiter, plans, slidingWindowCounter, tokenBucket } from "./src/index.ts";
     export const limiter = createLimiter({
       policies: [
         tokenBucket({ name: "address", by: "ip", limit: 200, refill: 100, per: "1s" }),
         slidingWindowCounter({ name: "user", by: "user", limit: 600, window: "1m" }),
         tokenBucket({ name: "everybody", by: "*", limit: 5000, refill: 5000, per: "1s" }),
       ],
       plans: plans({ gold: { user: { limit: 6000 } } }),
     });`,
  ],
  [
    "createLimiter() with lease(), a token bucket and a log",
    30_200,
    `import { createLimiter, lease, slidingWindowLog, tokenBucket } from "./src/index.ts";
     export const limiter = createLimiter({ policies: [${BUCKET}, ${LOG}], lease: lease("auto") });`,
  ],
  [
    "rateLimit() of Hono, a token bucket and a fixed window",
    29_530,
    `import { fixedWindow, tokenBucket } from "./src/index.ts";
     import { rateLimit } from "./src/hono.ts";
     export const limiter = rateLimit({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "rateLimit() of Vercel, a token bucket and a fixed window",
    29_820,
    `import { fixedWindow, tokenBucket } from "./src/index.ts";
     import { rateLimit } from "./src/vercel.ts";
     export const limiter = rateLimit({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "createGateway() with its packages",
    135_430,
    `import { createGateway } from "./src/gateway.ts";
     export default createGateway(process.env);`,
  ],
  ["usage() of models", 9_440, `export { usage } from "./src/llm.ts";`],
  ["gateway worker with its packages", 166_290, `export { default } from "./src/worker.ts";`],
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
