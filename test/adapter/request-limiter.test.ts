import { describe, expect, test } from "vitest";

import { compileRequest, type RequestOptions } from "../../src/adapter/request-limiter.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Limiter } from "../../src/limiter/limiter.ts";
import { Faults } from "../../src/options/faults.ts";

interface Context {
  readonly user: string;
}

/** What happened for a request of these options, step by step. */
async function steps(options: RequestOptions<Context>, fields: Record<string, string> = {}) {
  const done: unknown[] = [];
  const note =
    <Answer>(what: string, answer: Answer) =>
    (...given: unknown[]) => {
      done.push([what, ...given]);
      return answer;
    };
  const limiter = { limit: note("limit", Promise.resolve("decision")) } as unknown as Limiter;
  const faults = new Faults();
  const policies = [fixedWindow({ limit: 10, window: "1s" })];
  const limitRequest = compileRequest<Context>(
    {
      ...options,
      ...(typeof options.partition === "function" && {
        partition: note("partition", (options.partition as () => string)()) as never,
      }),
      ...(typeof options.cost === "function" && {
        cost: note("cost", (options.cost as () => number)()) as never,
      }),
    },
    policies,
    faults,
  );
  faults.throwIfAny();
  const answer = await limitRequest(
    limiter,
    { user: "ada" },
    new Request("https://a.example", { headers: fields }),
    {},
  );
  return { done, answer };
}

const context = { user: "ada" };

describe("a request", () => {
  test("is asked who it is, then what it costs, then decided", async () => {
    const { done, answer } = await steps({ partition: async () => "ada", cost: async () => 3 });
    expect(done).toEqual([
      ["partition", context],
      ["cost", context],
      ["limit", "ada", { cost: 3 }],
    ]);
    expect(answer).toBe("decision");
  });

  test("costs 1, or what the options say", async () => {
    expect((await steps({ partition: () => "ada" })).done.at(-1)).toEqual([
      "limit",
      "ada",
      { cost: 1 },
    ]);
    expect((await steps({ partition: () => "ada", cost: 7 })).done.at(-1)).toEqual([
      "limit",
      "ada",
      { cost: 7 },
    ]);
    expect((await steps({ partition: () => "ada", cost: () => 0 })).done.at(-1)).toEqual([
      "limit",
      "ada",
      { cost: 0 },
    ]);
  });

  test("is told apart by its address unless something else is said", async () => {
    const { done } = await steps(
      { clientIp: "cloudflare" },
      { "cf-connecting-ip": "192.0.2.1", "x-api-key": "k" },
    );
    expect(done).toEqual([["limit", "ip:192.0.2.1", { cost: 1 }]]);
  });
});

describe("a request of nobody", () => {
  test.for([undefined, null, ""])("is counted with all others like it: %j", async (nobody) => {
    const { done } = await steps({ partition: () => nobody as undefined, cost: () => 2 });
    expect(done.slice(1)).toEqual([
      ["cost", context],
      ["limit", "no-identity", { cost: 2 }],
    ]);
  });

  test("is refused where that is asked for, and nobody asks what it costs", async () => {
    const { done, answer } = await steps({
      partition: () => undefined,
      cost: () => 2,
      onMissing: "reject",
    });
    expect(done).toEqual([["partition", context]]);
    expect(answer).toBeInstanceOf(Response);
    const refused = answer as unknown as Response;
    expect([refused.status, refused.headers.get("cache-control")]).toEqual([400, "no-store"]);
  });
});
