import { describe, expect, test } from "vitest";

import { fixedWindow, memoryStore } from "../../src/index.ts";
import { compile } from "../support/compile-policy.ts";
import { storeContract } from "./contract.ts";

const store = memoryStore();
describe("the memory store", () => storeContract(() => store));

test("it holds no more than its entries, and the one unused for longest goes first", () => {
  const bounded = memoryStore({ maxEntries: 2, now: () => 1e15 });
  const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
  const consume = (key: string) => bounded.decide("consume", [key], [1], policies);
  consume("a");
  consume("b");
  // Denied, but in use.
  expect(consume("a")).toMatchObject({ rows: [{ allowed: false }] });
  consume("c");
  expect(consume("a")).toMatchObject({ rows: [{ allowed: false }] });
  expect(consume("c")).toMatchObject({ rows: [{ allowed: false }] });
  expect(consume("b")).toMatchObject({ rows: [{ allowed: true }] });
});

test("looking does not fill it", () => {
  const bounded = memoryStore({ maxEntries: 1, now: () => 1e15 });
  const policies = compile([fixedWindow({ limit: 1, window: "1d" })]);
  bounded.decide("consume", ["a"], [1], policies);
  bounded.decide("peek", ["b"], [1], policies);
  expect(bounded.decide("consume", ["a"], [1], policies)).toMatchObject({
    rows: [{ allowed: false }],
  });
});
