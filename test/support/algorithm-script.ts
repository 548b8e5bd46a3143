import { fileURLToPath } from "node:url";

import type { Redis } from "ioredis";

import { readLua } from "../../scripts/build-lua/source.ts";
import type { ModelRequest } from "../../src/algorithms/model.ts";
import type { Algorithm } from "../../src/policy/policy.ts";
import { expandNumbers } from "../../src/store/redis/expand-numbers.ts";
import { EVERY_IMPLEMENTATION } from "./policy/implementations.ts";

/** A policy's numbers by name. */
export type Parameters = Readonly<Record<string, number>>;

export interface Answer {
  readonly allowed: boolean;
  readonly remaining: number;
  readonly retryAfterUs: number;
  readonly resetAfterUs: number;
}

const script = expandNumbers(
  readLua(fileURLToPath(new URL("lua/one-policy.lua", import.meta.url))),
);

/**
 * One algorithm's Lua on a real Redis, with the caller's clock instead of the server's.
 */
export function algorithmScript(redis: Redis, algorithm: Algorithm) {
  let sha1: Promise<string> | undefined;

  return async function decide(
    key: string,
    { nowUs, operation, cost, limit, parameters }: ModelRequest<Parameters>,
  ): Promise<Answer> {
    sha1 ??= redis.script("LOAD", script) as Promise<string>;
    const numbers = EVERY_IMPLEMENTATION[algorithm].parameters.map((name) => parameters[name]!);
    const args = [operation, cost, algorithm, limit, ...numbers, nowUs];
    const reply = await redis.evalsha(await sha1, 1, key, ...args);
    const [allowed, remaining, retryAfterUs, resetAfterUs] = reply as number[];
    return {
      allowed: allowed === 1,
      remaining: remaining!,
      retryAfterUs: retryAfterUs!,
      resetAfterUs: resetAfterUs!,
    };
  };
}

/**
 * A clock's start for such tests, in microseconds: days ahead of the server's, so that no key expires meanwhile, and odd, so that
 * no moment falls on a boundary by accident.
 */
export const FUTURE = (Date.now() + 30 * 86_400_000) * 1000 + 123_457;
