import { expect, inject, test } from "vitest";

import { createLimiter } from "../../src/index.ts";
import { createPacer } from "../../src/pacing.ts";

test("workers that share a Redis have one quota, whatever limit each of them believes in", async () => {
  const prefix = crypto.randomUUID();
  const redis = { url: inject("redisRestUrl"), token: inject("redisRestToken") };
  const worker = (tokens: number) =>
    createPacer({
      limiter: (policies) =>
        createLimiter({ redis, prefix, policies, timeout: "20s", onFailure: "closed" }),
      order: [{ name: "openai/tides", limits: { requests: 1_000_000, tokens } }],
      share: 1,
      maxWait: "1ms",
    });
  const sendAll = async (pacer: ReturnType<typeof worker>, requests: number) => {
    const request = { inputTokens: 90, outputTokens: 10 };
    const sent = await Promise.all(
      Array.from({ length: requests }, () => pacer.send(request, async () => new Response("{}"))),
    );
    return sent.flatMap((each) => (each.response ? [each] : []));
  };
  // Of 10,000 tokens, 100 requests may take 100 each; a few more if a minute ends meanwhile.
  const [some, others] = await Promise.all([
    sendAll(worker(10_000), 60),
    sendAll(worker(10_000), 60),
  ]);
  const admitted = [...some, ...others];
  expect(admitted.length).toBeGreaterThanOrEqual(100);
  expect(admitted.length).toBeLessThanOrEqual(103);
  // Half of what each has taken comes back.
  await Promise.all(
    admitted.map(({ hold, cost }) => hold.settle(cost({ inputTokens: 50, outputTokens: 0 }))),
  );
  // One that knows of a greater limit takes a smaller part of it.
  const more = await sendAll(worker(20_000), 120);
  expect(more.length).toBeGreaterThanOrEqual(94);
  expect(more.length).toBeLessThanOrEqual(106);
});
