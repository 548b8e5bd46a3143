import { expect, test } from "vitest";

import { usage as settleByUsage } from "../../src/llm.ts";
import { bytesOf, cut, streamed } from "../llm/streamed.ts";
import { SHAPES } from "../support/llm/shapes.ts";

test("usage() of tidegate/llm reads every shape in workerd", async () => {
  for (const { name, type, body, headers, usage } of SHAPES) {
    const settled: unknown[] = [];
    const hold = {
      reserved: {},
      taken: {},
      settle: async (cost: unknown) => void settled.push(cost),
      release: async () => void settled.push("released"),
    };
    const waiting: Promise<unknown>[] = [];
    const given = streamed(cut(bytesOf(body), [1, 400, 401]), type, headers);
    const read = settleByUsage(hold, given, {
      waitUntil: (promise) => void waiting.push(promise),
    });
    expect([name, new Uint8Array(await read.arrayBuffer())]).toEqual([name, bytesOf(body)]);
    await Promise.all(waiting);
    expect([name, ...settled]).toEqual([name, usage.totalTokens]);
  }
});
