import { expect, test, vi } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { eventText, lineStart } from "../../src/metrics/trace-text.ts";
import { compile } from "../support/compile-policy.ts";
import { MORNING, traced } from "./traced.ts";

const TEN_MINUTES = 600_000;

/** Ten minutes of a partition with this many requests, as an isolate writes them. */
function chunkOf(partition: number, requests: number, ms: number): string {
  const event = eventText({ ms: 1, cost: 1, hasRoom: true, isDenied: false });
  const first = eventText({ ms, cost: 1, hasRoom: true, isDenied: false });
  return lineStart("api", partition, 5) + first + event.repeat(requests - 1);
}

test("many calls read the whole, and no reply is larger than a megabyte", async () => {
  const [policy] = compile([fixedWindow({ name: "api", limit: 5, window: "1m" })]);
  const { redis, keys, reader } = traced(policy!);
  const span = { fromMs: MORNING, toMs: MORNING + 6 * TEN_MINUTES };
  const REQUESTS = 100_000;
  for (let i = 0; i < 6; i++) {
    const ms = MORNING + i * TEN_MINUTES;
    const field = `0.${REQUESTS}.${ms / 60_000}.isolate.1`;
    await redis.hset(keys.trace(ms), {
      level: 0,
      events: REQUESTS,
      [field]: chunkOf(i, REQUESTS, ms),
    });
  }
  const { fetch } = globalThis;
  const sizes: number[] = [];
  const fetched = vi.spyOn(globalThis, "fetch").mockImplementation(async (...asked) => {
    const response = await fetch(...asked);
    sizes.push((await response.clone().text()).length);
    return response;
  });
  const { sample } = await reader.sampleOfPolicy("api", span);
  fetched.mockRestore();
  expect(sample.partitions.map(({ requests }) => requests.length)).toEqual(
    Array.from({ length: 6 }, () => REQUESTS),
  );
  // Three of these chunks fit into a reply; the sixty hashes of counts are empty.
  expect(sizes.filter((size) => size > 10_000)).toHaveLength(2);
  expect(Math.max(...sizes)).toBeLessThan(1_010_000);
});
