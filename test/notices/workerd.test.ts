import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

import { afterEach, beforeEach, expect, inject, test, vi } from "vitest";

import { bundle } from "../../bench/support/bundle.ts";
import { type RunningWorker, runWorker } from "../../bench/support/run-worker.ts";
import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { openReceiver, type Receiver, SECRET } from "./receiver.ts";

const PATIENCE = { timeout: 15_000 };

let bridge: Bridge;
let receiver: Receiver;
const origin = createServer((_request, response) => response.end("ok"));
beforeEach(async () => {
  bridge = await startBridge({ redis: inject("redisUrl"), port: 0, token: "t", allow: ["KEYS"] });
  receiver = await openReceiver();
  await once(origin.listen(0, "127.0.0.1"), "listening");
});
afterEach(async () => {
  await receiver.stop();
  await bridge.close();
  origin.close();
});

test(
  "of two isolates in workerd one tells each notice, after the responses, and Redis knows that it is told",
  { timeout: 60_000 },
  async () => {
    const answers: (() => void)[] = [];
    receiver.answer = (response) => void answers.push(() => response.writeHead(204).end());
    const policy = { algorithm: "sliding-window-log", name: "api", limit: 10, window: "1h" };
    const prefix = crypto.randomUUID();
    const code = await bundle(`
      import { env } from "cloudflare:workers";
      import { createGateway } from "./src/gateway.ts";
      export default createGateway(env);`);
    const open = () =>
      runWorker(code, {
        ORIGIN: `http://127.0.0.1:${(origin.address() as AddressInfo).port}`,
        UPSTASH_REDIS_REST_URL: bridge.url,
        UPSTASH_REDIS_REST_TOKEN: "t",
        TIMEOUT: "10s",
        PREFIX: prefix,
        CLIENT_IP: "cloudflare",
        NOTICE_URL: receiver.url,
        NOTICE_SECRET: SECRET,
        RULES: JSON.stringify([{ path: "/*", policies: [{ ...policy, notify: 0.8 }] }]),
      });
    const isolates: RunningWorker[] = [await open(), await open()];
    const ask = async (isolate: number) => {
      const headers = { "cf-connecting-ip": "203.0.113.7" };
      const { status } = await fetch(isolates[isolate]!.url, { headers });
      return status;
    };
    try {
      for (let i = 0; i < 10; i++) expect(await ask(i % 2)).toBe(200);
      expect(await ask(0)).toBe(429);
      expect(await ask(1)).toBe(429);
      await vi.waitFor(() => expect(answers).toHaveLength(2), PATIENCE);
      for (const answer of answers) answer();
      const types = receiver.received.map(
        ({ body }) => (JSON.parse(body) as { type: string }).type,
      );
      expect(types.toSorted()).toEqual(["limit.denied", "limit.reached"]);
      const redis = async (...command: readonly (string | number)[]) => {
        const response = await fetch(bridge.url, {
          method: "POST",
          headers: { authorization: "Bearer t" },
          body: JSON.stringify(command),
        });
        return ((await response.json()) as { result: unknown }).result;
      };
      /** The limits of which a notice was told. */
      const told = async () => {
        const keys = (await redis("KEYS", `${prefix}:*!*:n`)) as string[];
        const limits = await Promise.all(keys.map((key) => redis("GETRANGE", key, 7, 13)));
        return limits.filter((bytes) => bytes !== "\0".repeat(7));
      };
      // It is noted after the answer of the receiver.
      await vi.waitFor(async () => expect(await told()).toHaveLength(2), PATIENCE);
      expect(receiver.received).toHaveLength(2);
    } finally {
      for (const each of isolates) await each.stop();
    }
  },
);
