import { Redis } from "ioredis";
import { expect, inject, onTestFinished, test } from "vitest";

import { liveKeys } from "../../src/store/control/live-keys.ts";
import { administered } from "../support/admin/administered.ts";
import { askingOf, sharedRedis } from "./ask.ts";

test("the audit keeps ten thousand entries, and is read in pages of five hundred without a gap", async () => {
  const gateway = administered(sharedRedis());
  const ask = askingOf(gateway);
  const redis = new Redis(inject("redisUrl"), { disableClientInfo: true });
  onTestFinished(() => redis.disconnect());
  const { audit, state } = liveKeys(gateway.prefix);
  const kept = Array.from({ length: 10_000 }, (_, i) =>
    JSON.stringify({ n: i + 1, at: i, by: "ada", action: "put deny" }),
  );
  for (let i = 0; i < kept.length; i += 1_000)
    await redis.lpush(audit, ...kept.slice(i, i + 1_000));
  await redis.hset(state, "audited", kept.length);
  await ask("/lists/deny", { method: "PUT", body: { identity: "x-user-id:mal" } });
  expect(await redis.llen(audit)).toBe(10_000);

  const numbers: number[] = [];
  for (let before = ""; ; before = `?before=${numbers.at(-1)}`) {
    const { entries } = (await ask(`/audit${before}`)).body;
    expect(entries.length).toBeLessThanOrEqual(500);
    if (entries.length === 0) break;
    numbers.push(...entries.map(({ n }: { n: number }) => n));
  }
  expect(numbers).toEqual(Array.from({ length: 10_000 }, (_, i) => 10_001 - i));
  expect((await ask("/audit?before=x")).status).toBe(400);
});
