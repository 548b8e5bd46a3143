import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { concurrency } from "../../src/features/holds/concurrency-option.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import type { Compiled } from "../support/algorithms/facts.ts";
import { compilePolicy } from "../support/compile-policy.ts";

const windowed = { limit: 30, window: "10s" } as const;

const slots: readonly Compiled[] = [
  {
    policy: concurrency({ limit: 30 }),
    name: "concurrency-30-60s",
    parameters: [60_000_000, 0],
    window: 60,
  },
  {
    policy: concurrency({ limit: 30, ttl: "24h" }),
    name: "concurrency-30-24h",
    parameters: [86_400_000_000, 0],
    window: 86_400,
  },
];

test.for([...EVERY_ALGORITHM.flatMap(({ compiled }) => compiled), ...slots])(
  "$policy comes to these numbers",
  ({ policy, name, parameters, window }) => {
    const compiled = compilePolicy(policy);
    expect(compiled).toMatchObject({ name, onFailure: undefined });
    expect(compiled.scriptArguments).toEqual(
      [policy.algorithm, policy.limit, ...parameters].map(String),
    );
    expect(compiled.windowUs / 1e6).toBeCloseTo(window, 6);
    expect(compiled.field).toBe(`"${name}";q=${policy.limit};w=${Math.ceil(window)}`);
  },
);

test("a policy that names itself keeps its name and its verdict", () => {
  const compiled = compilePolicy(fixedWindow({ ...windowed, name: "daily", onFailure: "open" }));
  expect(compiled).toMatchObject({ name: "daily", onFailure: "open" });
});
