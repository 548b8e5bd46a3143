import { expect, test } from "vitest";

import type { Operation, Pass } from "../../src/algorithms/model.ts";
import { decideTogether, takeTogether } from "../../src/store/decide-together.ts";
import { compile } from "../support/compile-policy.ts";
import { everyPolicy } from "../support/every-policy.ts";

type Mode = "enforced" | "shadow" | "denials";

/** Decides with policies of these modes, whose rows say which question they answer; tells the rows and the questions. */
function decide(
  operation: Operation,
  drawn: readonly { mode?: Mode; cost?: number; wait?: number }[],
  together = decideTogether,
) {
  const asked: [index: number, pass: Pass | Operation, cost: number][] = [];
  const policies = compile(
    drawn.map(({ mode }, i) => ({
      ...everyPolicy(10, "10s")[0]!,
      ...(mode === "shadow" && { mode }),
      ...(mode === "denials" && { counts: mode }),
      name: `p${i}`,
    })),
  );
  const costs = drawn.map(({ cost = 1 }) => cost);
  const rows = together(operation, costs, policies, (index, pass, cost) => {
    const question = asked.push([index, pass, cost]);
    const { wait = 0 } = drawn[index]!;
    const allowed = pass === "charge" || wait === 0;
    const retryAfterUs = wait && wait + question;
    return { allowed, remaining: 10 - question, retryAfterUs, resetAfterUs: 100 * question };
  });
  return { asked, rows };
}

test("a single policy is asked once, and takes at once", () => {
  expect(decide("consume", [{ cost: 3 }])).toEqual({
    asked: [[0, "consume", 3]],
    rows: [{ allowed: true, remaining: 9, retryAfterUs: 0, resetAfterUs: 100 }],
  });
});

test("several are asked before any takes, and the rows are those of the taken units", () => {
  const { asked, rows } = decide("consume", [{ cost: 3 }, { cost: 2 }]);
  expect(asked).toEqual([
    [0, "ask", 3],
    [1, "ask", 2],
    [0, "consume", 3],
    [1, "consume", 2],
  ]);
  expect(rows.map(({ remaining }) => remaining)).toEqual([7, 6]);
});

test("no policy takes anything where one denies, and none is asked twice", () => {
  const { asked } = decide("consume", [{}, { wait: 5 }, {}]);
  expect(asked).toEqual([
    [0, "ask", 1],
    [1, "ask", 1],
    [2, "ask", 1],
  ]);
});

test("an advisory policy without room and a cost of 0 are asked once", () => {
  const { asked } = decide("consume", [
    { mode: "shadow", wait: 5 },
    { cost: 0 },
    { mode: "shadow", cost: 0 },
    {},
  ]);
  expect(asked).toEqual([
    [0, "ask", 1],
    [1, "ask", 0],
    [2, "ask", 0],
    [3, "ask", 1],
    [3, "consume", 1],
  ]);
});

test("a policy that counts denials is charged one for those of the others, and its row has the waits after that", () => {
  const { asked, rows } = decide("consume", [{ mode: "denials", cost: 0 }, { wait: 5 }]);
  expect(asked).toEqual([
    [0, "ask", 1],
    [1, "ask", 1],
    [0, "charge", 1],
  ]);
  expect(rows[0]).toEqual({ allowed: true, remaining: 7, retryAfterUs: 0, resetAfterUs: 300 });
});

test("a policy that counts denials is not charged for its own, nor for those of an advisory policy", () => {
  const { asked, rows } = decide("consume", [
    { mode: "denials", cost: 0, wait: 5 },
    { mode: "shadow", wait: 5 },
  ]);
  expect(asked).toEqual([
    [0, "ask", 1],
    [1, "ask", 1],
  ]);
  expect(rows[0]).toMatchObject({ allowed: false, retryAfterUs: 6 });
});

test("denials that waited are charged with the first question, which says whether there is room for one more", () => {
  const { asked, rows } = decide("consume", [{ mode: "denials", cost: 4, wait: 5 }, {}]);
  expect(asked).toEqual([
    [0, "charge", 4],
    [1, "ask", 1],
  ]);
  expect(rows[0]).toMatchObject({ allowed: false, remaining: 9 });
});

test.for(["peek", "charge"] as const)("a %s asks each policy once", (operation) => {
  const { asked } = decide(operation, [{ cost: 3, wait: 5 }, { cost: 0 }, { mode: "denials" }]);
  expect(asked).toEqual([
    [0, operation, 3],
    [1, operation, 0],
    [2, "peek", 1],
  ]);
});

test.for(["consume", "peek", "charge"] as const)(
  "without roles, a %s is the same question to the same policies",
  (operation) => {
    const kinds = [{}, { wait: 5 }, { cost: 0 }, { cost: 3, wait: 5 }];
    const pairs = kinds.flatMap((first) => kinds.map((second) => [first, second]));
    const triples = pairs.flatMap((pair) => kinds.map((third) => pair.concat(third)));
    const requests = [kinds.map((each) => [each]), pairs, triples].flat();
    expect(requests).toHaveLength(84);
    for (const drawn of requests) {
      expect(decide(operation, drawn, takeTogether)).toEqual(decide(operation, drawn));
    }
  },
);
