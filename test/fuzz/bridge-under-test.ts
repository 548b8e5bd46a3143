import { afterAll, beforeAll, expect } from "vitest";

import { type Bridge, startBridge } from "../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../scripts/support/redis-server.ts";
import { type Shape, shapesOf } from "./redis-commands.ts";

/** Milliseconds, more than any command here takes: a longer call hangs. */
const PATIENCE = 3_000;

export interface Asked {
  readonly path?: string;
  readonly body: string | Uint8Array<ArrayBuffer>;
  readonly headers?: Record<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface BridgeUnderTest {
  readonly url: string;
  /** The commands of its Redis. */
  readonly shapes: readonly Shape[];
  ask(asked: Asked): Promise<Answer>;
  /** An envelope, or a list of them, with a status of its kind; and all other clients are still served. */
  expectProper(answer: Answer, statuses?: readonly number[]): Promise<void>;
}

/** A bridge with a Redis of its own: no other test's keys are at stake. */
export function useBridge(): BridgeUnderTest {
  let server: RedisServer;
  let bridge: Bridge;
  let shapes: readonly Shape[];

  beforeAll(async () => {
    server = await startRedisServer();
    bridge = await startBridge({ redis: server.url, port: 0, token: "t" });
    const { body } = await ask({ body: '["COMMAND"]' });
    shapes = shapesOf((body as { result: never }).result);
  });
  afterAll(async () => {
    await bridge?.close();
    await server?.stop();
  });

  async function ask({ path = "/", body, headers }: Asked): Promise<Answer> {
    const response = await fetch(bridge.url + path, {
      method: "POST",
      headers: { authorization: "Bearer t", ...headers },
      signal: AbortSignal.timeout(PATIENCE),
      body,
    });
    expect(response.headers.get("content-type")).toBe("application/json");
    return { status: response.status, body: await response.json() };
  }

  return {
    ask,
    get url() {
      return bridge.url;
    },
    get shapes() {
      return shapes;
    },
    async expectProper({ status, body }, statuses = [200, 400]) {
      expect(statuses).toContain(status);
      for (const envelope of Array.isArray(body) ? body : [body]) {
        expect(["result", "error"]).toContain(Object.keys(envelope as object).join());
        const { error } = envelope as { error?: unknown };
        expect(["string", "undefined"]).toContain(typeof error);
        if (!Array.isArray(body)) expect(error === undefined).toBe(status === 200);
      }
      const echo = crypto.randomUUID();
      const answer = await ask({ body: JSON.stringify(["ECHO", echo]) });
      expect(answer).toEqual({ status: 200, body: { result: echo } });
    },
  };
}
