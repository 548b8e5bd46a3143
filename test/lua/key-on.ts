import type { Redis } from "ioredis";

import type { Operation, Pass } from "../../src/algorithms/model.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import type { Algorithm } from "../../src/policy/policy.ts";
import { meaningOf } from "../model/counter.ts";
import { algorithmScript } from "../support/algorithm-script.ts";
import { refundScript } from "./refund-script.ts";

/** One partition on a real Redis, which any policies of an algorithm ask and give back to, at the test's moments. */
export function keyOn(redis: Redis, algorithm: Algorithm) {
  const key = `lua:{${crypto.randomUUID()}}`;
  const decide = algorithmScript(redis, algorithm);
  const refund = refundScript(redis, algorithm);
  const numbersOf = ({ limit, parameters }: CompiledPolicy) => ({ limit, parameters });
  return {
    key,
    keyOf: (policy: CompiledPolicy) => `${key}:${meaningOf(policy)}`,
    ask: (policy: CompiledPolicy, operation: Operation | Pass, nowUs: number, cost = 1) =>
      decide(`${key}:${meaningOf(policy)}`, { ...numbersOf(policy), nowUs, operation, cost }),
    /** Tells how much came back. */
    giveBack: (policy: CompiledPolicy, nowUs: number, takenAtUs: number, cost: number) =>
      refund(`${key}:${meaningOf(policy)}`, { ...numbersOf(policy), nowUs, takenAtUs, cost }),
  };
}
