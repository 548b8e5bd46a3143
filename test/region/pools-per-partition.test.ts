import { expect, test } from "vitest";

import { StoreError } from "../../src/options/errors.ts";
import { poolsPerPartition } from "../../src/store/region/pools-per-partition.ts";
import {
  DENIED,
  type Delivery,
  HOME_DECIDES,
  MISSING,
  NOT_LOOKED_AT,
  type PoolRequest,
  type Pools,
  REGION_ALLOWS,
  REGION_DENIES,
  SPENT,
} from "../../src/store/region/pools.ts";

/* Requests of several partitions, each of which has an object of its own. What the objects say is written here. */

const KEYS = ["tg:{a}:p", "tg:{b}:p", "tg:{a}:q"];

const request = (more: Partial<PoolRequest> = {}): PoolRequest => ({
  termUs: 1e6,
  cost: 2,
  credit: 3,
  keepUs: 5e6,
  plenty: 50,
  ceiling: 100,
  deniedHere: 0,
  ...more,
});

const VERDICTS = new Map([
  [SPENT, REGION_ALLOWS],
  [MISSING, HOME_DECIDES],
  [DENIED, REGION_DENIES],
]);

/** Objects that answer with these states by the letter of the partition; one without a state is gone. */
function objects(states: Readonly<Record<string, number>>) {
  const calls: string[] = [];
  const asked: PoolRequest[] = [];
  const brought: [readonly string[], readonly Delivery[]][] = [];
  const pools: Pools = {
    async spend(keys, requests) {
      const letter = /\{(.)\}/.exec(keys[0]!)![1]!;
      calls.push(letter);
      asked.push(...requests);
      const state = states[letter];
      if (state === undefined) throw new StoreError("ERR_STORE_UNREACHABLE", "overloaded");
      const atUs = letter === "a" ? 70 : 90;
      return {
        nowUs: atUs,
        verdict: VERDICTS.get(state)!,
        unspent: 4,
        pools: keys.map((_, i) => ({
          atUs,
          state,
          left: i,
          waitUs: 0,
          resetUs: 0,
          isClaimed: false,
          order: { most: 0, need: 0, owed: 0 },
          spentUntilUs: 1e6,
        })),
      };
    },
    async put(keys, deliveries) {
      brought.push([keys, deliveries]);
      return { unspent: 1, lostClaims: 2 };
    },
  };
  return { pools: poolsPerPartition(pools), calls, asked, brought };
}

const three = [request({ cost: 1 }), request({ cost: 2 }), request({ cost: 3 })];

test("one partition takes one call, as it is", async () => {
  const { pools, calls, asked } = objects({ a: SPENT });
  const reply = await pools.spend(["tg:{a}:p", "tg:{a}:q"], three.slice(1));
  expect([calls, asked]).toEqual([["a"], three.slice(1)]);
  expect(reply.verdict).toBe(REGION_ALLOWS);
});

test("several partitions take a call each, without credit, and answer in the request's order", async () => {
  const { pools, calls, asked, brought } = objects({ a: SPENT, b: MISSING });
  const reply = await pools.spend(KEYS, three);
  expect(calls).toEqual(["a", "b"]);
  expect(asked.map(({ cost, credit }) => [cost, credit])).toEqual([
    [1, 0],
    [3, 0],
    [2, 0],
  ]);
  expect(reply).toMatchObject({ nowUs: 70, verdict: HOME_DECIDES, unspent: 8 });
  expect(reply.pools.map(({ state, atUs, left }) => [state, atUs, left])).toEqual([
    [SPENT, 70, 0],
    [MISSING, 90, 0],
    [SPENT, 70, 1],
  ]);
  expect(brought).toEqual([]);
});

test("an object that denies has the others give back what they spent", async () => {
  const { pools, brought } = objects({ a: SPENT, b: DENIED });
  const reply = await pools.spend(KEYS, three);
  expect(reply.verdict).toBe(REGION_DENIES);
  expect(reply.pools.map(({ state }) => state)).toEqual([NOT_LOOKED_AT, DENIED, NOT_LOOKED_AT]);
  expect(brought).toHaveLength(1);
  const [[keys, deliveries]] = brought as [(typeof brought)[number]];
  expect(keys).toEqual(["tg:{a}:p", "tg:{a}:q"]);
  expect(deliveries).toMatchObject([
    { back: 1, backUntilUs: 1e6, atUs: 70, isClaimed: false, units: 0, left: -1 },
    { back: 3 },
  ]);
});

test("an object that is gone leaves the request to home, and the others give back", async () => {
  const { pools, brought } = objects({ a: SPENT });
  await expect(pools.spend(KEYS, three)).rejects.toThrow("overloaded");
  expect(brought.map(([keys]) => keys)).toEqual([["tg:{a}:p", "tg:{a}:q"]]);
  const without = objects({ a: MISSING });
  await expect(without.pools.spend(KEYS, three)).rejects.toThrow("overloaded");
  expect(without.brought).toEqual([]);
});

test("units are brought to the object of their partition", async () => {
  const { pools, brought } = objects({});
  const deliveries = [1, 2, 3].map((units) => ({ units }) as Delivery);
  expect(await pools.put(KEYS, deliveries)).toEqual({ unspent: 2, lostClaims: 4 });
  expect(brought).toEqual([
    [
      ["tg:{a}:p", "tg:{a}:q"],
      [{ units: 1 }, { units: 3 }],
    ],
    [["tg:{b}:p"], [{ units: 2 }]],
  ]);
});
