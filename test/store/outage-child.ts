// Prints by how many bytes the heap grows in an outage, while each of many identities takes all of its limit, at moments
// of their own. Redis was seen to admit one unit of each before. Run with --expose-gc, an algorithm, how many identities,
// their limit, and the cost of a request.

import { setFlagsFromString } from "node:v8";

import { client, createLimiter, type Limiter, type Policy } from "../../src/index.ts";
import { fromData } from "../../src/policy/from-data.ts";

// Megabytes of code that only started this process would be dropped at some time, and hide the measured bytes.
setFlagsFromString("--no-flush-bytecode");

const [algorithm, ...numbers] = process.argv.slice(2);
const [identities, limit, cost] = numbers.map(Number) as [number, number, number];
const HOUR = 3_600_000;
const WARM_UP = 100;

let now = 1.8e12;
Date.now = () => now;
let gone = false;
const times = algorithm === "token-bucket" ? { refill: limit, per: "1h" } : { window: "1h" };
const limiterOf = () =>
  createLimiter({
    redis: client({
      evalsha: async () => {
        if (gone) throw new TypeError("fetch failed");
        return [Math.floor(now * 1000), 1, limit - 1, 0, HOUR * 1000];
      },
      eval: async () => [],
    }),
    policies: [fromData({ algorithm, name: "login", limit, ...times }) as Policy],
    onStoreError: () => {},
  });

function held(): number {
  for (let collection = 0; collection < 5; collection++) globalThis.gc!();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

async function takeAll(limiter: Limiter, kind: string, count: number): Promise<number> {
  const identityOf = (i: number) => `ip:2001:db8:${kind}:${i.toString(16)}::/64`;
  gone = false;
  for (let i = 0; i < count; i++) {
    const { reason } = await limiter.limit(identityOf(i));
    if (reason !== "allowed") throw new Error(reason);
  }
  gone = true;
  const requests = Math.ceil(limit / cost);
  const step = HOUR / 2 / (requests * count);
  let passed = 0;
  for (let request = 0; request < requests; request++) {
    for (let i = 0; i < count; i++) {
      now += step;
      const { allowed, reason } = await limiter.limit(identityOf(i), { cost });
      if (reason !== "store-unavailable") throw new Error(reason);
      passed += Number(allowed);
    }
  }
  return passed;
}

// Code compiled once and memory allocated once are not counted.
await takeAll(limiterOf(), "warm", WARM_UP);
const before = held();
// One that knows of no outage before.
const limiter = limiterOf();
const passed = await takeAll(limiter, "many", identities);
console.log(JSON.stringify({ bytes: held() - before, passed }));
// The measured object has to live until now.
await limiter.peek("somebody");
