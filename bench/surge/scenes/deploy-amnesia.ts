import { setTimeout as sleep } from "node:timers/promises";

import { nowMs } from "../clock.ts";
import { type Client, createClient } from "../driver/client.ts";
import type { Passed } from "../figures/over-admitted.ts";
import { onParts, type Parts } from "./parts.ts";
import { fullestWindow, heldAt } from "./windows.ts";

export interface DeployOptions {
  /** How often the worker is replaced by a new one, and how long each serves. */
  readonly deploys: number;
  readonly everyMs: number;
  /** Of one identity. */
  readonly requestsPerSecond: number;
  readonly limit: number;
  readonly windowMs: number;
}

/** One limiter under deploys. */
export interface Deployed {
  readonly requests: number;
  readonly admitted: number;
  readonly denied: number;
  readonly failed: number;
  /** The most that some window held for certain. */
  readonly admittedInWorstWindow: number;
  /** When a new worker took over. */
  readonly deploysAtMs: readonly number[];
  readonly steps: readonly DeployStep[];
}

export interface DeployStep {
  /** The end of the step; times are milliseconds after the load began. */
  readonly atMs: number;
  readonly admitted: number;
  readonly denied: number;
  readonly failed: number;
  /** Admitted in the window that ends with the step. */
  readonly inWindow: number;
}

export interface DeployAmnesia extends DeployOptions {
  /** The gateway whose counts are in Redis. */
  readonly redis: Deployed;
  /** The same gateway with `STORE=memory`, which forgets with its isolate. */
  readonly perIsolate: Deployed;
}

const STEP_MS = 250;

interface Sent extends Passed {
  readonly status: number;
}

/** The same load on two gateways at once, each replaced again and again: one counts in Redis, one in its isolates. */
export async function deployAmnesia(
  options: DeployOptions,
  tell: (line: string) => void,
): Promise<DeployAmnesia> {
  const [redis, perIsolate] = await Promise.all([
    onParts((parts) => underDeploys(parts, { STORE: "redis" }, options, tell)),
    onParts((parts) => underDeploys(parts, { STORE: "memory" }, options, () => {})),
  ]);
  return { ...options, redis, perIsolate };
}

async function underDeploys(
  { api, deploy }: Parts,
  variables: Readonly<Record<string, string>>,
  options: DeployOptions,
  tell: (line: string) => void,
): Promise<Deployed> {
  const { deploys, everyMs, requestsPerSecond, limit, windowMs } = options;
  const policy = { algorithm: "sliding-window-log", name: "one", limit, window: `${windowMs}ms` };
  const rules = [{ path: "/api/*", partition: ["header:x-user-id"], policies: [policy] }];
  const release = async () => {
    const worker = await deploy({ ...variables, RULES: JSON.stringify(rules) });
    return { worker, client: createClient(worker.url), open: new Set<Promise<void>>() };
  };

  let serving = await release();
  const sent: Sent[] = [];
  const deploysAtMs: number[] = [];
  const beginMs = nowMs();
  let number = 0;
  const load = setInterval(() => {
    while (number < ((nowMs() - beginMs) / 1000) * requestsPerSecond) {
      const { client, open } = serving;
      const asked = ask(client, number++).finally(() => open.delete(asked));
      open.add(asked);
    }
  }, 5);

  async function ask(client: Client, own: number): Promise<void> {
    const earliestMs = nowMs();
    const headers = { "x-user-id": "one", "x-request-number": own };
    const { status } = await client.send({ path: "/api/rides", headers });
    sent.push({ status, earliestMs, latestMs: api.arrivals.get(own) ?? nowMs() });
  }

  for (let deployed = 0; ; deployed++) {
    await sleep(Math.max(0, beginMs + (deployed + 1) * everyMs - nowMs()));
    const old = serving;
    if (deployed === deploys) clearInterval(load);
    else serving = await release();
    if (deployed < deploys) deploysAtMs.push(nowMs() - beginMs);
    await Promise.all(old.open);
    old.client.close();
    await old.worker.stop();
    if (deployed === deploys) break;
    tell(`deploy ${deployed + 1} of ${deploys}`);
  }
  return deployedOf(sent, beginMs, deploysAtMs, windowMs);
}

function deployedOf(
  sent: readonly Sent[],
  beginMs: number,
  deploysAtMs: readonly number[],
  windowMs: number,
): Deployed {
  const admitted = sent.filter(({ status }) => status === 200);
  const endMs = Math.max(...sent.map(({ latestMs }) => latestMs));
  const steps = Array.from({ length: Math.ceil((endMs - beginMs) / STEP_MS) }, (_, i) => {
    const toMs = beginMs + (i + 1) * STEP_MS;
    const step = sent.filter(({ latestMs }) => latestMs > toMs - STEP_MS && latestMs <= toMs);
    const inWindow = heldAt(admitted, toMs, windowMs);
    return { atMs: (i + 1) * STEP_MS, ...countsOf(step), inWindow };
  });
  return {
    requests: sent.length,
    ...countsOf(sent),
    admittedInWorstWindow: fullestWindow(admitted, windowMs),
    deploysAtMs,
    steps,
  };
}

function countsOf(sent: readonly Sent[]) {
  const admitted = sent.filter(({ status }) => status === 200).length;
  const denied = sent.filter(({ status }) => status === 429).length;
  return { admitted, denied, failed: sent.length - admitted - denied };
}
