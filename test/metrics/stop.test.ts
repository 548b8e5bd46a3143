import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

import { expect, inject, onTestFinished, test, vi } from "vitest";

import { periodicWrites } from "../../src/metrics/periodic-writes.ts";
import { quota, startOrigin } from "../support/gateway/gateway.ts";
import { ADMIN_TOKEN } from "../support/live/live-gateway.ts";
import { metricsReaderOf } from "../support/metrics/metrics-reader-of.ts";

const program = fileURLToPath(new URL("gateway-process.ts", import.meta.url));

/** A gateway that answers at a port of its own. */
async function startGatewayProcess(variables: Readonly<Record<string, string>>) {
  const child = fork(program, { env: variables, execArgv: [] });
  const ended = once(child, "exit");
  onTestFinished(() => void child.kill("SIGKILL"));
  const [port] = (await once(child, "message")) as [number];

  return {
    /** Asks it; `undefined` if it does not answer. */
    async ask(path: string) {
      try {
        const headers = { "cf-connecting-ip": "192.0.2.1" };
        const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers });
        await response.arrayBuffer();
        return response.status;
      } catch {
        return undefined;
      }
    },

    /** Has it write its counts. */
    async write() {
      const written = once(child, "message");
      child.send("write");
      await written;
    },

    /** Waits until it has ended; returns its exit code, `null` if the signal ended it. */
    async end(signal: "SIGTERM" | "SIGKILL") {
      child.kill(signal);
      const [code] = (await ended) as [number | null];
      return code;
    },
  };
}

/** Gateways in processes of their own, none of which writes by itself within the time of a test. */
async function gatewayProcesses(count: number, limit: number) {
  const origin = await startOrigin();
  const endpoint = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  const prefix = crypto.randomUUID();
  const variables = {
    ORIGIN: origin.url,
    UPSTASH_REDIS_REST_URL: endpoint.url,
    UPSTASH_REDIS_REST_TOKEN: endpoint.token,
    PREFIX: prefix,
    TIMEOUT: "10s",
    CLIENT_IP: "cloudflare",
    RULES: JSON.stringify([{ path: "/api/*", policies: [quota("api", limit)] }]),
    ADMIN_TOKEN,
    METRICS_FLUSH: "10m",
  };
  const gateways = await Promise.all(
    Array.from({ length: count }, () => startGatewayProcess(variables)),
  );
  const reader = metricsReaderOf(endpoint, prefix);
  const counts = async () => {
    const { requests } = await reader.total();
    return Object.fromEntries(
      requests.map(({ rule, outcome, reason, count }) => [`${rule} ${outcome} ${reason}`, count]),
    );
  };
  const counted = async () => Object.values(await counts()).reduce((all, count) => all + count, 0);
  return { gateways, counts, counted };
}

test("gateways that are stopped cleanly have counted every request that they answered", async () => {
  const { gateways, counts, counted } = await gatewayProcesses(2, 1_000_000);
  let answered = 0;
  // Eight clients of each go on until it does not answer any more.
  const clients = gateways.flatMap((gateway) =>
    Array.from({ length: 8 }, async (_, i) => {
      while ((await gateway.ask(i % 4 === 0 ? "/free" : "/api/x")) !== undefined) answered++;
    }),
  );
  await expect.poll(() => answered, { timeout: 15_000 }).toBeGreaterThan(100);
  const codes = await Promise.all(gateways.map((gateway) => gateway.end("SIGTERM")));
  await Promise.all(clients);
  expect(codes).toEqual([0, 0]);
  expect(await counted()).toBe(answered);
  expect(Object.keys(await counts()).sort()).toEqual([
    "* /api/* allowed allowed",
    "none passed no-rule",
  ]);
});

test("a gateway that is killed loses its counts since it last wrote, and no others", async () => {
  const { gateways, counts } = await gatewayProcesses(1, 50);
  const killed = gateways[0]!;
  for (let i = 0; i < 40; i++) await killed.ask("/api/x");
  await killed.write();
  for (let i = 0; i < 25; i++) await killed.ask("/api/x");
  expect(await killed.end("SIGKILL")).toBe(null);
  expect(await counts()).toEqual({ "* /api/* allowed allowed": 40 });
});

/** A writer whose writes end when they are told to. */
function startWriter() {
  const ends: (() => void)[] = [];
  const writer = { isDue: () => state.isDue, writeDue: begin, flush: begin };
  const state = { isDue: false, begun: 0 };

  function begin(): Promise<void> {
    state.begun++;
    return new Promise((resolve) => ends.push(resolve));
  }

  return { writer, state, ends };
}

test("a stop waits for a write that is under way, and then writes the rest", async () => {
  const { writer, state, ends } = startWriter();
  const { start, flush } = periodicWrites([writer]);
  const kept: Promise<unknown>[] = [];
  start((promise) => void kept.push(promise));
  expect([state.begun, kept.length]).toEqual([0, 0]);
  state.isDue = true;
  start((promise) => void kept.push(promise));
  expect([state.begun, kept.length]).toEqual([1, 1]);
  let hasStopped = false;
  const stopping = flush().then(() => (hasStopped = true));
  await new Promise(setImmediate);
  expect([state.begun, hasStopped]).toEqual([1, false]);
  ends[0]!();
  await expect.poll(() => state.begun).toBe(2);
  expect(hasStopped).toBe(false);
  ends[1]!();
  await stopping;
});

test("a write that has ended is not kept until the stop", async () => {
  const { writer, state, ends } = startWriter();
  state.isDue = true;
  const writings: Promise<void>[] = [];
  const writeDue = () => {
    const writing = writer.writeDue();
    writings.push(writing);
    return writing;
  };
  const { start, flush } = periodicWrites([{ ...writer, writeDue }]);
  let written: Promise<unknown> | undefined;
  start((promise) => (written = promise));
  ends[0]!();
  await written;
  const asked = vi.spyOn(writings[0]!, "then");
  const stopping = flush();
  await expect.poll(() => state.begun).toBe(2);
  ends[1]!();
  await stopping;
  expect(asked).not.toHaveBeenCalled();
});
