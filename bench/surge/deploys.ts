import { ask, nowMs, until } from "./client.ts";
import { outcomesOf } from "./measure.ts";
import { onParts, type Parts } from "./parts.ts";
import { fullestWindow, heldAt } from "./proof.ts";

export interface DeployOptions {
  /** How often the worker is replaced by a new one, and how long each serves. */
  readonly deploys: number;
  readonly everyMs: number;
  /** The rate of one identity. */
  readonly requestsPerSecond: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** One limiter under deploys. Times are milliseconds after the load began. */
export interface Deployed {
  readonly requests: number;
  readonly admitted: number;
  readonly denied: number;
  readonly failed: number;
  /** The most that some window held for certain. */
  readonly admittedInWorstWindow: number;
  /** When a new worker took over. */
  readonly deploysAtMs: readonly number[];
  /** How many were admitted in the window that ends at a time. */
  readonly steps: readonly { readonly atMs: number; readonly inWindow: number }[];
}

export interface DeployAmnesia extends DeployOptions {
  /** The gateway whose counts are in Redis. */
  readonly redis: Deployed;
  /** The same gateway with `STORE=memory`, which forgets with its isolate. */
  readonly perIsolate: Deployed;
}

const STEP_MS = 250;
/** An API with capacity to spare: only the limiter denies. */
const AMPLE = { capacity: 1_000, workers: 1, seed: 1 };

/** The same load on two gateways at once, each replaced again and again: one counts in Redis, one in its isolates. */
export async function deployAmnesia(options: DeployOptions): Promise<DeployAmnesia> {
  const on = (store: string) => onParts(AMPLE, (parts) => underDeploys(parts, store, options));
  const [redis, perIsolate] = await Promise.all([on("redis"), on("memory")]);
  return { ...options, redis, perIsolate };
}

async function underDeploys(
  { deploy, log }: Parts,
  STORE: string,
  { deploys, everyMs, requestsPerSecond, limit, windowMs }: DeployOptions,
): Promise<Deployed> {
  const policy = { algorithm: "sliding-window-log", name: "one", limit, window: `${windowMs}ms` };
  const rules = [{ path: "/api/*", partition: ["header:x-user-id"], policies: [policy] }];
  const release = async () => {
    // Everything shares one machine: a stall of it must not pass for one of Redis.
    const worker = await deploy({ STORE, RULES: JSON.stringify(rules), TIMEOUT: "5s" });
    return { worker, open: new Set<Promise<void>>() };
  };

  let serving = await release();
  const sent: { status: number; sentMs: number; endMs: number }[] = [];
  const deploysAtMs: number[] = [];
  const beginMs = nowMs();
  let number = 0;
  const load = setInterval(() => {
    while (number < ((nowMs() - beginMs) / 1000) * requestsPerSecond) {
      const { worker, open } = serving;
      const asked = request(worker.url, number++).finally(() => open.delete(asked));
      open.add(asked);
    }
  }, 5);

  async function request(url: string, own: number): Promise<void> {
    const sentMs = nowMs();
    const headers = { "x-user-id": "one", "x-request-number": own };
    const { status } = await ask(`${url}/api/rides`, { headers });
    sent[own] = { status, sentMs, endMs: nowMs() };
  }

  for (let deployed = 1; deployed <= deploys + 1; deployed++) {
    await until(beginMs + deployed * everyMs);
    const old = serving;
    if (deployed > deploys) {
      clearInterval(load);
    } else {
      serving = await release();
      deploysAtMs.push(nowMs() - beginMs);
    }
    await Promise.all(old.open);
    await old.worker.stop();
  }

  const { arrivals } = await log();
  const passed = sent.flatMap(({ status, sentMs, endMs }, own) =>
    status === 200 ? [{ earliestMs: sentMs, latestMs: arrivals[own] ?? endMs }] : [],
  );
  const { allowed: admitted, ...others } = outcomesOf(sent);
  const lastMs = Math.max(...sent.map(({ endMs }) => endMs)) - beginMs;
  const steps = Array.from({ length: Math.ceil(lastMs / STEP_MS) }, (_, i) => {
    const atMs = (i + 1) * STEP_MS;
    return { atMs, inWindow: heldAt(passed, beginMs + atMs, windowMs) };
  });
  const admittedInWorstWindow = fullestWindow(passed, windowMs);
  return { requests: sent.length, admitted, ...others, admittedInWorstWindow, deploysAtMs, steps };
}
