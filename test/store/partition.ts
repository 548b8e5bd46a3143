import type { Operation, Row } from "../../src/algorithms/model.ts";
import type { Policy } from "../../src/policy/policy.ts";
import type { Reply, Store } from "../../src/store/store.ts";
import { compile } from "../support/compile-policy.ts";

/** Makes partitions of their own, and says how to ask the store about them. */
export function partitionsOf(open: () => Store) {
  return function partition(...policies: readonly Policy[]) {
    const compiled = compile(policies);
    const id = crypto.randomUUID();
    const keys = compiled.map(({ name }) => `tg:{${id}}:${name}`);
    const costsOf = (cost: number | readonly number[]) =>
      typeof cost === "number" ? compiled.map(() => cost) : cost;
    const decide = async (operation: Operation, cost: number | readonly number[]) =>
      open().decide(operation, keys, costsOf(cost), compiled);
    return {
      ask: async (
        operation: Operation,
        cost: number | readonly number[] = 1,
      ): Promise<readonly Row[]> => (await decide(operation, cost)).rows,
      take: async (cost: number | readonly number[]): Promise<Reply> => decide("consume", cost),
      /** The number of taken units that came back. */
      giveBack: async (
        reply: Reply,
        cost: number | readonly number[],
      ): Promise<readonly number[]> => open().refund!(keys, costsOf(cost), compiled, reply),
      lease: (wanted: number) => decide("lease", wanted),
      reset: () => open().reset(keys),
    };
  };
}
