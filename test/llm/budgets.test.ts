import { describe, expect, inject, test } from "vitest";

import { createLimiter, fixedWindow, memoryStore, month, refundable } from "../../src/index.ts";
import { usage, type Usage } from "../../src/llm.ts";
import { random as randomOf } from "../support/random.ts";

/*
 * Budgets of four dimensions in micro-dollars, over a provider that answers, streams, breaks off and fails: the books agree with
 * the provider's own, to the micro-dollar.
 */

const PRICES = { input: 3, cached: 0.3, output: 15 };
const price = ({
  inputTokens,
  cachedTokens = 0,
  outputTokens,
}: Omit<Usage, "totalTokens" | "complete">) =>
  Math.ceil(
    Math.round(
      1000 *
        ((inputTokens - cachedTokens) * PRICES.input +
          cachedTokens * PRICES.cached +
          outputTokens * PRICES.output),
    ) / 1000,
  );

const MONTH = { window: month({ timeZone: "Europe/Berlin" }), refundable: refundable() };
const BUDGETS = ["key", "user", "team", "organisation"] as const;
const limits = { key: 400_000, user: 900_000, team: 2e9, organisation: Number.MAX_SAFE_INTEGER };

const PLACES = [
  [
    "redis",
    () => ({
      redis: { url: inject("redisRestUrl"), token: inject("redisRestToken") },
      prefix: crypto.randomUUID(),
      timeout: "20s" as const,
    }),
  ],
  ["memory", () => ({ store: memoryStore() })],
] as const;

describe.each(PLACES)("budgets counted in %s", (_name, place) => {
  test("balance to the micro-dollar, with any streams", async () => {
    const limiter = createLimiter({
      ...place(),
      policies: BUDGETS.map((by) => fixedWindow({ name: by, by, limit: limits[by], ...MONTH })),
    });
    const random = randomOf(7);
    const draw = (most: number) => Math.floor(random() * most);
    const books = new Map<string, number>();
    let denied = 0;
    for (let i = 0; i < 150; i++) {
      const user = draw(3);
      const client = {
        key: `${user}-${draw(3)}`,
        user: `u${user}`,
        team: `t${user % 2}`,
        organisation: "o",
      };
      const inputTokens = 1 + draw(2_000);
      const reserved = price({ inputTokens, outputTokens: 2_000 });
      const hold = await limiter.reserve(client, { cost: reserved });
      if (!hold.allowed) {
        denied++;
        // All or nothing: some budget has no room for it.
        const left = BUDGETS.map((by) => limits[by] - (books.get(by + client[by]) ?? 0));
        expect(Math.min(...left)).toBeLessThan(reserved);
        continue;
      }
      const told = {
        prompt_tokens: inputTokens,
        completion_tokens: draw(2_000),
        prompt_tokens_details: { cached_tokens: draw(inputTokens) },
      };
      const real = price({
        inputTokens,
        cachedTokens: told.prompt_tokens_details.cached_tokens,
        outputTokens: told.completion_tokens,
      });
      const end = (["whole", "cancelled", "broken", "refused", "thrown"] as const)[draw(5)]!;
      let cost = reserved;
      if (end === "thrown") {
        await hold.release();
        cost = 0;
      } else {
        const chunks = ['data: {"choices":[]}\n\n', `data: ${JSON.stringify({ usage: told })}\n\n`];
        const body = new ReadableStream({
          pull(controller) {
            const chunk = chunks.shift();
            if (chunk && !(end === "broken" && chunks.length === 0)) {
              controller.enqueue(new TextEncoder().encode(chunk));
            } else if (end === "broken") controller.error(new Error("gone"));
            else controller.close();
          },
        });
        const status = end === "refused" ? 500 : 200;
        const headers = { "content-type": "text/event-stream" };
        const settled: Promise<unknown>[] = [];
        const response = hold.stream(new Response(body, { status, headers }), {
          usage,
          cost: price,
          waitUntil: (promise) => void settled.push(promise),
        });
        if (end === "cancelled") await response.body!.cancel();
        else await response.text().catch(() => undefined);
        await Promise.all(settled);
        if (end === "whole") cost = real;
        if (end === "refused") cost = 0;
      }
      for (const by of BUDGETS) {
        const name = by + client[by];
        books.set(name, (books.get(name) ?? 0) + cost);
      }
      const { policies } = await limiter.peek(client);
      expect(
        policies.map(({ name, remaining }) => [name, limits[name as "key"] - remaining]),
      ).toEqual(BUDGETS.map((by) => [by, books.get(by + client[by])]));
    }
    expect(denied).toBeGreaterThan(5);
  });

  test("are exact up to the greatest number, and say as much as a field may have", async () => {
    const limiter = createLimiter({
      ...place(),
      policies: [fixedWindow({ name: "p", limit: Number.MAX_SAFE_INTEGER, ...MONTH })],
    });
    const all = Number.MAX_SAFE_INTEGER;
    const first = await limiter.limit("u", { cost: all - 1 });
    expect(first.policies[0]!.remaining).toBe(1);
    expect((await limiter.limit("u", { cost: 2 })).allowed).toBe(false);
    expect((await limiter.limit("u")).allowed).toBe(true);
    expect((await limiter.charge("u", all)).policies[0]!.remaining).toBe(0);
    expect((await limiter.limit("u")).allowed).toBe(false);
    const fields = JSON.stringify([...(await limiter.limit("other")).headers()]);
    expect(fields).toMatch(/q=999999999999999;w=2678400/);
    expect(fields).toMatch(/r=999999999999999;/);
  });
});
