import { expect, test } from "vitest";

import type { Operation, Pass } from "../../src/algorithms/model.ts";
import { leaseTogether } from "../../src/store/lease-together.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

/** Takes a lease of 8 of policies with these units left, and tells their calls. */
function lease(...drawn: readonly { left: number; shadow?: boolean }[]) {
  const asked: [index: number, pass: Pass | Operation, cost: number][] = [];
  const policies = compile(
    drawn.map(({ shadow }, i) => ({
      ...everyPolicy(20, "10s")[0]!,
      ...(shadow && { mode: "shadow" as const }),
      name: `p${i}`,
    })),
  );
  const reply = leaseTogether(8, policies, (index, pass, cost) => {
    const question = asked.push([index, pass, cost]);
    const { left } = drawn[index]!;
    const remaining = pass === "charge" ? left - cost : left;
    return { allowed: left > 0, remaining, retryAfterUs: 0, resetAfterUs: 100 * question };
  });
  return { asked, ...reply };
}

test("takes the units that every enforced policy has, and reports the rest after that", () => {
  const { asked, rows, taken, charged } = lease({ left: 9 }, { left: 5 });
  expect(asked).toEqual([
    [0, "ask", 1],
    [1, "ask", 1],
    [0, "charge", 5],
    [1, "charge", 5],
  ]);
  expect(taken).toBe(5);
  expect(charged).toBeUndefined();
  expect(rows.map(({ remaining, resetAfterUs }) => [remaining, resetAfterUs])).toEqual([
    [4, 300],
    [0, 400],
  ]);
});

test("an advisory policy bounds nothing, and is charged as far as it has room", () => {
  const { asked, taken, charged } = lease(
    { left: 3, shadow: true },
    { left: 9 },
    { left: 0, shadow: true },
    { left: 20, shadow: true },
  );
  expect(taken).toBe(8);
  expect(charged).toEqual([3, 8, 0, 8]);
  expect(asked.slice(4)).toEqual([
    [0, "charge", 3],
    [1, "charge", 8],
    [3, "charge", 8],
  ]);
});

test("takes nothing of any policy where an enforced policy has nothing, and asks each once", () => {
  const { asked, taken, charged, rows } = lease(
    { left: 9 },
    { left: 0 },
    { left: 9, shadow: true },
  );
  expect(asked).toHaveLength(3);
  expect(taken).toBe(0);
  expect(charged).toEqual([0, 0, 0]);
  expect(rows.map(({ resetAfterUs }) => resetAfterUs)).toEqual([100, 200, 300]);
});

test("a policy alone decides, in any mode, and the reply does not mention charges", () => {
  const { taken, charged } = lease({ left: 3, shadow: true });
  expect(taken).toBe(3);
  expect(charged).toBeUndefined();
});
