import { readFileSync } from "node:fs";

import fc from "fast-check";
import type { Redis } from "ioredis";
import { expect } from "vitest";

import { fromIoredis } from "../../src/node.ts";
import type { RedisClient } from "../../src/store/redis/client.ts";
import { random } from "../support/random.ts";
import { connect } from "./clocked-redis.ts";

/*
 * What the suites need that run a package's own store and ours side by side: the same Redis some milliseconds away, faults, and
 * the table in which each difference has its row.
 */

/** Waits for 1 to 6 ms, there and back: Redis is 2 to 12 ms away, and calls overtake each other. */
function delays(seed: number): () => Promise<void> {
  const chance = random(seed);
  return () => new Promise((resolve) => setTimeout(resolve, 1 + 5 * chance()));
}

/** A client whose calls are delayed each by itself. */
export function farClient({ evalsha, eval: evaluate }: RedisClient, seed = 1): RedisClient {
  const wait = delays(seed);
  const far =
    <Call extends unknown[]>(send: (...call: Call) => Promise<unknown>) =>
    async (...call: Call) => {
      await wait();
      const answer = await send(...call).then(
        (value) => () => value,
        (error: unknown) => () => Promise.reject(error as Error),
      );
      await wait();
      return answer();
    };
  return { evalsha: far(evalsha), eval: far(evaluate) };
}

/** An ioredis whose commands and transactions are delayed each by itself. */
export function farIoredis(redis: Redis, seed = 1): Redis {
  const wait = delays(seed);
  const far =
    (send: (...call: unknown[]) => Promise<unknown>) =>
    async (...call: unknown[]) => {
      await wait();
      const answer = await send(...call);
      await wait();
      return answer;
    };
  return new Proxy(redis, {
    get(target, name) {
      const member = Reflect.get(target, name) as unknown;
      if (name === "multi") {
        return () => {
          const multi = target.multi();
          const exec = multi.exec.bind(multi) as (...call: unknown[]) => Promise<unknown>;
          return Object.assign(multi, { exec: far(exec) });
        };
      }
      if (typeof member !== "function") return member;
      const send = member.bind(target) as (...call: unknown[]) => Promise<unknown>;
      return name === "rlflxIncr" || name === "del" ? far(send) : send;
    },
  });
}

/** The fault of a call: it never arrives, or its reply is lost. */
export type Fault = "none" | "gone" | "lost-reply";

/** A client with the fault of the moment. */
export function faultyClient({ evalsha, eval: evaluate }: RedisClient) {
  const broken = () => new Error("read ECONNRESET");
  const client = { fault: "none" as Fault, sent: 0 };
  const faulty =
    <Call extends unknown[]>(send: (...call: Call) => Promise<unknown>) =>
    async (...call: Call) => {
      client.sent++;
      if (client.fault === "gone") throw broken();
      const answer = await send(...call);
      if (client.fault === "lost-reply") throw broken();
      return answer;
    };
  return Object.assign(client, {
    redis: { evalsha: faulty(evalsha), eval: faulty(evaluate) } as RedisClient,
  });
}

/**
 * While Redis goes and comes back, and replies are lost: expects no more calls to pass than these, in each of so many runs.
 *
 * @param open makes a call that resolves with whether it passed
 */
export async function expectPassing(
  most: number,
  numRuns: number,
  open: (redis: RedisClient) => () => Promise<boolean>,
): Promise<void> {
  const phase = fc.record({
    fault: fc.constantFrom<Fault>("none", "gone", "lost-reply"),
    calls: fc.integer({ min: 1, max: 8 }),
  });
  const phases = fc.array(phase, { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(phases, async (all) => {
    const faulty = faultyClient(fromIoredis(connect()));
    const call = open(faulty.redis);
    let passed = 0;
    for (const { fault, calls } of all) {
      faulty.fault = fault;
      const answers = await Promise.all(Array.from({ length: calls }, call));
      passed += answers.filter(Boolean).length;
    }
    expect(passed).toBeLessThanOrEqual(most);
  });
  await fc.assert(property, { numRuns });
}

/** Calls that begin one after the other within this time, so that each meets others at every point of their way. */
export async function overlapping<Result>(
  calls: number,
  withinMs: number,
  call: (index: number) => Promise<Result>,
): Promise<Result[]> {
  const all = Array.from({ length: calls }, async (_, i) => {
    await new Promise((resolve) => setTimeout(resolve, (i * withinMs) / calls));
    return call(i);
  });
  return Promise.all(all);
}

/** Expects a row of a page's table to begin with this text: each difference has a row that says why. */
export function expectRow(page: string, text: string): void {
  const rows = readFileSync(`docs/moving/${page}.md`, "utf8")
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.slice(2).split(" | ")[0]!.trim());
  expect(rows).toContain(text);
}

/** The row about a value, if there is one. */
export function rowOf(rows: Readonly<Record<string, readonly unknown[]>>, value: unknown) {
  return Object.keys(rows).filter((row) =>
    rows[row]!.some((each) => shownOf(each) === shownOf(value)),
  );
}

/** Every kind of value that code without types may give for a number. */
export const ANY_NUMBER: readonly unknown[] = [
  undefined,
  null,
  "3",
  "three",
  "",
  "-1",
  "2.5",
  true,
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  -1,
  -3,
  2.5,
  0.001,
  1e6,
  2 ** 52,
  Number.MAX_SAFE_INTEGER,
  1e21,
  Number.MAX_VALUE,
  [],
  {},
];

/** A value in the name of a test. */
export function shownOf(value: unknown): string {
  if (Object.is(value, -0)) return "-0";
  return typeof value === "string" || Object(value) === value
    ? JSON.stringify(value)
    : String(value);
}
