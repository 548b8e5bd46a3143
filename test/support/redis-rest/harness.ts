import { setTimeout as sleep } from "node:timers/promises";

import { afterAll, beforeAll, expect } from "vitest";

import { type Bridge, startBridge } from "../../../packages/redis-rest/src/bridge.ts";
import { type RedisServer, startRedisServer } from "../../../scripts/support/redis-server.ts";

export const token = "a token";

interface Started {
  readonly redis: RedisServer;
  readonly bridge: Bridge;
}

/** Starts a Redis and a bridge to it before the tests of a file, and ends them after these. */
export function useBridge(
  hand: (started: Started) => unknown,
  options: Partial<Parameters<typeof startBridge>[0]> = {},
): void {
  let redis: RedisServer;
  let bridge: Bridge;
  beforeAll(async () => {
    redis = await startRedisServer();
    bridge = await startBridge({ redis: redis.url, port: 0, token, ...options });
    hand({ redis, bridge });
  });
  afterAll(async () => {
    await bridge.close();
    await redis.stop();
  });
}

/** Other clients, each of whose replies is checked. */
export async function others(bridge: Bridge): Promise<void> {
  const texts = Array.from({ length: 20 }, (_, i) => `text ${i}`);
  const answers = await Promise.all(texts.map((text) => ask(bridge, ["ECHO", text])));
  expect(answers).toEqual(texts.map(result));
}

export interface Answer {
  status: number;
  body: unknown;
}

export interface Ask {
  method?: string;
  path?: string;
  body?: string | Uint8Array<ArrayBuffer> | unknown[];
  headers?: Record<string, string>;
}

/** One HTTP request, authorized unless told otherwise; an array is sent as JSON. */
export async function ask(bridge: Pick<Bridge, "url">, request: Ask | unknown[]): Promise<Answer> {
  const {
    path = "/",
    headers,
    body,
    method,
  } = Array.isArray(request) ? { body: request } : request;
  const response = await fetch(bridge.url + path, {
    method: method ?? (body === undefined ? "GET" : "POST"),
    headers: { authorization: `Bearer ${token}`, ...headers },
    ...(body !== undefined && { body: Array.isArray(body) ? JSON.stringify(body) : body }),
  });
  const text = await response.text();
  return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
}

export const result = (value: unknown): Answer => ({ status: 200, body: { result: value } });
export const error = (message: string, status = 400): Answer => ({
  status,
  body: { error: message },
});

export async function until(condition: () => Promise<boolean>, withinMs: number): Promise<void> {
  const deadline = performance.now() + withinMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`not so within ${withinMs} ms`);
    await sleep(10);
  }
}

/** The message for a command that the bridge does not pass on. */
export function refusalOf(name: string): string {
  return `ERR Command is not available: '${name}'. It is not known to leave the connection that all requests share as it is`;
}
