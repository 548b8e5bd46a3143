import { gzipSync } from "node:zlib";

import { bundle } from "../../support/bundle.ts";
import { compare } from "../compare.ts";
import { atMost, type Figure, type Part } from "../figure.ts";
import { measureEntries } from "./entries.ts";
import { TIDEGATE, UPSTASH } from "./handlers.ts";

const BUCKET = `tokenBucket({ limit: 20, refill: 10, per: "1s" })`;
const WINDOW = `fixedWindow({ limit: 600, window: "1m" })`;
const LOG = `slidingWindowLog({ limit: 600, window: "1m" })`;

/** What a worker imports and makes, and what of the package it has to load for that. */
const WORKERS: readonly (readonly [name: string, source: string])[] = [
  [
    "limiterWith({}), a token bucket and a fixed window",
    `import { fixedWindow, limiterWith, tokenBucket } from "./src/core.ts";
     export const limiter = limiterWith({})({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "limiterWith({}), a token bucket and a log",
    `import { limiterWith, slidingWindowLog, tokenBucket } from "./src/core.ts";
     export const limiter = limiterWith({})({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "limiterWith({ leases }), a token bucket and a log",
    `import { leases, limiterWith, slidingWindowLog, tokenBucket } from "./src/core.ts";
     export const limiter = limiterWith({ leases })({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "createLimiter(), a token bucket and a log",
    `import { createLimiter, slidingWindowLog, tokenBucket } from "./src/index.ts";
     export const limiter = createLimiter({ policies: [${BUCKET}, ${LOG}] });`,
  ],
  [
    "rateLimitWith({}) of Hono, a token bucket and a fixed window",
    `import { fixedWindow, tokenBucket } from "./src/core.ts";
     import { rateLimitWith } from "./src/hono.ts";
     export const limit = rateLimitWith({})({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "rateLimit() of Hono, a token bucket and a fixed window",
    `import { fixedWindow, tokenBucket } from "./src/index.ts";
     import { rateLimit } from "./src/hono.ts";
     export const limit = rateLimit({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "rateLimit() of Vercel, a token bucket and a fixed window",
    `import { fixedWindow, tokenBucket } from "./src/index.ts";
     import { rateLimit } from "./src/vercel.ts";
     export const limit = rateLimit({ policies: [${BUCKET}, ${WINDOW}] });`,
  ],
  [
    "gatewayWith({}) with its packages",
    `import { gatewayWith } from "./src/gateway.ts";
     export default gatewayWith({})(process.env);`,
  ],
  [
    "gatewayWith({ live }) with its packages",
    `import { gatewayWith, live } from "./src/gateway.ts";
     export default gatewayWith({ live })(process.env);`,
  ],
  ["gateway worker with its packages", `export { default } from "./src/worker.ts";`],
];

const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

/** What an edge deployment has to load. */
export const bundlePart: Part = async (): Promise<Figure[]> => {
  const ours = await bundle(TIDEGATE);
  const theirs = await bundle(UPSTASH);
  const workers: Figure[] = [];
  for (const [name, source] of WORKERS) {
    const tidegate = gzipped(await bundle(source));
    workers.push({ name: `${name}, gzipped`, unit: "bytes", tidegate });
  }
  const entries = await measureEntries();
  const peer = "@upstash/ratelimit + redis";
  return [
    {
      name: "handler with limit(), gzipped",
      unit: "bytes",
      ...compare([gzipped(ours)], peer, [gzipped(theirs)]),
      target: atMost(0.9),
    },
    {
      name: "handler with limit(), minified",
      unit: "bytes",
      ...compare([ours.length], peer, [theirs.length]),
    },
    ...workers,
    ...entries,
  ];
};
