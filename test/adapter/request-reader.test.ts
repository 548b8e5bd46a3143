import { describe, expect, test } from "vitest";

import type { PlainRequestOptions } from "../../src/adapter/request-options.ts";
import { decideRequest } from "../../src/adapter/request-reader.ts";
import { compileRequest } from "../../src/adapter/request-reader.ts";
import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import type { Limiter } from "../../src/decide/limiter-types.ts";
import { EVERY_FEATURE } from "../../src/features/every-feature.ts";
import { Faults } from "../../src/options/faults.ts";

interface Context {
  readonly user: string;
}

/** The steps for a request of these options, in order. */
async function steps(options: PlainRequestOptions<Context>, fields: Record<string, string> = {}) {
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
  const reader = compileRequest<Context>(
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
    EVERY_FEATURE,
    faults,
  );
  faults.throwIfAny();
  const request = new Request("https://example.com/", { headers: fields });
  const read = await reader.read({ user: "ada" }, { request });
  if (read.kind === "unidentified") return { done, answer: read.response };
  return { done, answer: await decideRequest(read, limiter, reader) };
}

const context = { user: "ada" };

describe("a request", () => {
  test("is asked for its identity, then for its cost, then decided", async () => {
    const { done, answer } = await steps({ partition: async () => "ada", cost: async () => 3 });
    expect(done).toEqual([
      ["partition", context],
      ["cost", context],
      ["limit", { 0: "ada" }, { cost: 3 }],
    ]);
    expect(answer).toBe("decision");
  });

  test.for<[options: PlainRequestOptions<Context>, cost: unknown]>([
    [{}, undefined],
    [{ cost: 7 }, 7],
    [{ cost: () => 0 }, 0],
    [{ cost: async () => ({ tokens: 3 }) }, { tokens: 3 }],
  ])("costs what the options say, else what the limiter takes: %j", async ([options, cost]) => {
    const { done } = await steps({ partition: () => "ada", ...options });
    expect(done.at(-1)).toEqual(["limit", { 0: "ada" }, { cost }]);
  });

  test("may be told apart by a promise of another library", async () => {
    // oxlint-disable-next-line unicorn/no-thenable -- as libraries make them
    const promise = { then: (resolve: (identity: string) => void) => resolve("ada") };
    const { done } = await steps({ partition: () => promise as Promise<string> });
    expect(done.at(-1)).toEqual(["limit", { 0: "ada" }, {}]);
  });

  test("is told apart by its address unless something else is said", async () => {
    const { done } = await steps(
      { clientIp: "cloudflare" },
      { "cf-connecting-ip": "192.0.2.1", "x-api-key": "k" },
    );
    expect(done).toEqual([["limit", { 0: "ip:192.0.2.1" }, {}]]);
  });
});

describe("a request without an identity", () => {
  test.for([undefined, null, ""])("is counted with all others like it: %j", async (nobody) => {
    const { done } = await steps({ partition: () => nobody as undefined, cost: () => 2 });
    expect(done.slice(1)).toEqual([
      ["cost", context],
      ["limit", { 0: "no-identity" }, { cost: 2 }],
    ]);
  });

  test("is refused where that is asked for, and its cost is not computed", async () => {
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
