import { setTimeout as sleep } from "node:timers/promises";

import { describe, expect, test } from "vitest";

import { createLimiter, fixedWindow, slidingWindowLog } from "../../src/index.ts";
import { newClient } from "./demo-rules.ts";
import { ask, count, expectDenied, left } from "./requests.ts";
import { useStack } from "./stack.ts";

const stack = useStack();

/** The quota of an hour ends with the hour: a test had better not be cut in two by it. */
async function notAtTheEndOfAnHour(): Promise<void> {
  const remaining = 3_600_000 - (Date.now() % 3_600_000);
  if (remaining < 10_000) await sleep(remaining + 100);
}

const descending = (numbers: (number | undefined)[]) => numbers.sort((a, b) => b! - a!);

async function originCount(route: string): Promise<number> {
  const { body } = await ask(stack.origin, "GET /__counts");
  return (body as Record<string, number>)[route] ?? 0;
}

describe("200 logins at once", () => {
  const route = "POST /api/login";
  test.each([
    ["through one worker", [0]],
    ["through two workers", [0, 1]],
  ])("%s: 5 pass, and the hour has lost exactly those", async (_name, through) => {
    await notAtTheEndOfAnHour();
    const client = newClient();
    const before = await originCount(route);
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) =>
        ask(stack.workers[through[i % through.length]!]!, route, client),
      ),
    );
    expect(count(answers.map(({ status }) => status))).toEqual({ 200: 5, 429: 195 });
    expect(await originCount(route)).toBe(before + 5);

    const passed = answers.filter(({ status }) => status === 200);
    expect(descending(passed.map((answer) => left(answer, "login-burst")))).toEqual([
      4, 3, 2, 1, 0,
    ]);
    expect(descending(passed.map((answer) => left(answer, "login-hourly")))).toEqual([
      49, 48, 47, 46, 45,
    ]);
    for (const answer of answers.filter(({ status }) => status === 429)) {
      expectDenied(answer, ["login-burst"]);
      expect(left(answer, "login-hourly")).toBe(45);
    }

    const limiter = createLimiter({
      redis: { url: stack.bridge!, token: stack.token },
      timeout: "15s",
      policies: [
        slidingWindowLog({ name: "login-burst", limit: 5, window: "10s" }),
        fixedWindow({ name: "login-hourly", limit: 50, window: "1h" }),
      ],
    });
    const { reason, policies } = await limiter.peek(`ip:${client["cf-connecting-ip"]}`);
    expect(reason).toBe("limited");
    expect(policies.map(({ remaining }) => remaining)).toEqual([0, 45]);
  });
});

test("two workers share one count exactly", async () => {
  const route = "GET /api/export";
  const client = newClient();
  const before = await originCount(route);
  const answers = await Promise.all(
    Array.from({ length: 60 }, (_, i) => ask(stack.workers[i % 2]!, route, client)),
  );
  expect(count(answers.map(({ status }) => status))).toEqual({ 200: 6, 429: 54 });
  expect(await originCount(route)).toBe(before + 6);
});

test("the counts of one worker are known to the other", async () => {
  const client = newClient();
  for (let i = 0; i < 6; i++) {
    const answer = await ask(stack.workers[i % 2]!, "GET /api/export", client);
    expect(left(answer, "export")).toBe(5 - i);
  }
  for (const worker of stack.workers) {
    expectDenied(await ask(worker, "GET /api/export", client), ["export"]);
  }
});
