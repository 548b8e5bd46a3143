import { expect, test } from "vitest";

import { fixedWindow } from "../../src/algorithms/fixed-window.ts";
import { oncePerPolicy } from "../../src/policy/once-per-policy.ts";
import { compile } from "../support/compile-policy.ts";

test("a variant is computed once for each policy, and is always the same object", () => {
  const [one, other] = compile([
    fixedWindow({ name: "one", limit: 1, window: "1s" }),
    fixedWindow({ name: "other", limit: 1, window: "1s" }),
  ]);
  const computed: string[] = [];
  const variantOf = oncePerPolicy((policy) => {
    computed.push(policy.name);
    return { ...policy };
  });
  const variants = [one!, other!, one!, other!].map(variantOf);
  expect(computed).toEqual(["one", "other"]);
  expect(variants[2]).toBe(variants[0]);
  expect(variants[3]).toBe(variants[1]);
  expect(variants[1]).not.toBe(variants[0]);
});
