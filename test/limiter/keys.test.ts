import { describe, expect, test } from "vitest";

import { limiterOver } from "../support/limiter/limiter-over.ts";
import { fixedWindow, tokenBucket } from "../support/limiter/plain.ts";
import { row, scriptedStore } from "../support/limiter/scripted-store.ts";

const policies = [
  fixedWindow({ name: "daily", limit: 10, window: "1d" }),
  tokenBucket({ name: "burst", limit: 20, refill: 10, per: "1s" }),
];

function limiterOf(prefix: string) {
  const scripted = scriptedStore(() => ({ nowUs: 0, rows: [row(), row()] }));
  return { ...scripted, limiter: limiterOver(scripted.store, { prefix, policies }) };
}

/** The keys of one decision. */
async function keysOf(identity: string, prefix = "tg"): Promise<readonly string[]> {
  const { limiter, asked } = limiterOf(prefix);
  await limiter.limit(identity);
  return asked[0]!.keys;
}

describe("the keys of a decision", () => {
  test("are one per policy: the prefix, the partition as hash tag, the policy's name", async () => {
    const keys = await keysOf("user:42", "shop:1");
    expect(keys).toHaveLength(2);
    expect(keys[0]).toMatch(/^shop:1:\{user:42\}:.*daily/);
    expect(keys[1]).toMatch(/^shop:1:\{user:42\}:.*burst/);
  });

  test("have braces where the hash tag is, and nowhere else, for every identity", async () => {
    for (const identity of ["}{", "{a}:daily", "a}b", "{}", "a".repeat(200)]) {
      for (const key of await keysOf(identity)) expect(key).toMatch(/^tg:\{[^{}]+\}:[^{}]+$/);
    }
  });

  test("are the same for every operation, and a reset forgets all of them", async () => {
    const { limiter, asked, resets } = limiterOf("tg");
    await limiter.limit("ada");
    await limiter.peek("ada");
    await limiter.charge("ada", 3);
    await limiter.limit("ada", { cost: 0 });
    await limiter.limit("ada", {});
    await limiter.charge("ada", 0);
    await limiter.reset("ada");
    expect(asked.map(({ operation, costs }) => [operation, ...costs])).toEqual([
      ["consume", 1, 1],
      ["peek", 1, 1],
      ["charge", 3, 3],
      ["peek", 0, 0],
      ["consume", 1, 1],
      ["peek", 0, 0],
    ]);
    const { keys } = asked[0]!;
    for (const question of asked) expect(question.keys).toEqual(keys);
    expect(resets).toEqual([keys]);
  });

  test("are others under another prefix, for another identity", async () => {
    const all = [...(await keysOf("a")), ...(await keysOf("b")), ...(await keysOf("a", "b"))];
    expect(new Set(all).size).toBe(6);
  });
});
