import { fileURLToPath } from "node:url";

import { EdgeRuntime } from "edge-runtime";
import { build } from "esbuild";

import { bundle } from "../../bench/support/bundle.ts";
import { runWorker } from "../../bench/support/run-worker.ts";
import { ALL_SCRIPTS } from "../../src/store/redis/all-scripts.ts";
import { redisStore } from "../../src/store/redis/store.ts";
import { createLimiter, fixedWindow, type FixedWindowOptions } from "../support/limiter/plain.ts";
import { redisOf } from "./redis-of.ts";

/** Requests of one moment, and where they are counted. */
export interface Pressure {
  readonly url: string;
  readonly token: string;
  readonly prefix: string;
  readonly policies: readonly FixedWindowOptions[];
  readonly identities: readonly (string | Readonly<Record<string, string>>)[];
  /** By the clock of Redis, in microseconds since 1970. */
  readonly nowUs: number;
}

/** An isolate that is asked about all identities at once, and says which it has admitted. */
export interface Isolate {
  press(pressure: Pressure): Promise<readonly boolean[]>;
  stop(): Promise<void>;
}

/** An isolate in this process, whose own clock is ahead of Redis's. */
export function nodeIsolate(aheadMs: number): Isolate {
  let clockUs = 0;
  const limiters = new Map<string, ReturnType<typeof createLimiter>>();
  return {
    async press(pressure) {
      const { prefix, policies, identities, nowUs } = pressure;
      clockUs = nowUs;
      let limiter = limiters.get(prefix);
      if (!limiter) {
        const store = redisStore(
          redisOf(pressure, () => clockUs),
          ALL_SCRIPTS,
        );
        limiter = createLimiter({
          store: Object.assign(store, { now: () => clockUs + aheadMs * 1000 }),
          prefix,
          policies: policies.map((policy) => fixedWindow(policy)),
          denialCache: false,
        });
        limiters.set(prefix, limiter);
      }
      const asked = identities.map((identity) => limiter.limit(identity as never));
      return (await Promise.all(asked)).map(({ allowed, error }) => {
        // Without the store, it would count by itself.
        if (error) throw error;
        return allowed;
      });
    },
    stop: () => Promise.resolve(),
  };
}

/** The same in another runtime: the clock of the runtime is that of the last pressure. */
const PRESSED = `
  import { createLimiter, fixedWindow } from "./test/support/limiter/plain.ts";
  import { redisOf } from "./test/limiter/redis-of.ts";
  let clockUs = 0;
  Date.now = () => clockUs / 1000;
  const limiters = new Map();
  async function press(pressure) {
    const { prefix, policies, identities, nowUs } = pressure;
    clockUs = nowUs;
    let limiter = limiters.get(prefix);
    if (!limiter) {
      const redis = redisOf(pressure, () => clockUs);
      limiter = createLimiter({
        redis, prefix, policies: policies.map((policy) => fixedWindow(policy)), denialCache: false, timeout: "20s",
      });
      limiters.set(prefix, limiter);
    }
    const asked = await Promise.all(identities.map((identity) => limiter.limit(identity)));
    const error = asked.find((decision) => decision.error)?.error;
    if (error) return new Response(error.message, { status: 500 });
    return Response.json(asked.map(({ allowed }) => allowed));
  }`;

async function presses(url: string, pressure: Pressure): Promise<readonly boolean[]> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(pressure) });
  if (!response.ok) throw new Error(await response.text());
  return (await response.json()) as boolean[];
}

export async function workerdIsolate(): Promise<Isolate> {
  const worker = await runWorker(
    await bundle(`${PRESSED}
      export default { fetch: async (request) => press(await request.json()) };`),
  );
  return { press: (pressure) => presses(worker.url, pressure), stop: () => worker.stop() };
}

export async function edgeIsolate(): Promise<Isolate> {
  const { outputFiles } = await build({
    stdin: {
      contents: `${PRESSED}
        addEventListener("fetch", (event) => event.respondWith(event.request.json().then(press)));`,
      resolveDir: fileURLToPath(new URL("../..", import.meta.url)),
    },
    bundle: true,
    write: false,
    conditions: ["edge-light", "worker", "browser"],
    logLevel: "error",
  });
  const edge = new EdgeRuntime({ initialCode: outputFiles[0]!.text });
  return {
    async press(pressure) {
      const response = await edge.dispatchFetch("http://edge.test/", {
        method: "POST",
        body: JSON.stringify(pressure),
      });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as boolean[];
    },
    stop: () => Promise.resolve(),
  };
}
