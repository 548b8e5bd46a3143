import { expect, test } from "vitest";

import {
  createLimiter,
  fixedWindow,
  type Limiter,
  memoryStore,
  plans,
  refundable,
  tokenBucket,
} from "../../src/index.ts";

const bucket = { limit: 20, refill: 10, per: "1s" } as const;
const store = memoryStore();

const named = createLimiter({
  store,
  policies: [
    tokenBucket({ ...bucket, name: "address", by: "ip" }),
    fixedWindow({ name: "key", by: "key", limit: 50, window: "1d", refundable: refundable() }),
    fixedWindow({ name: "everybody", by: "*", limit: 1000, window: "1d" }),
  ],
  plans: plans({ gold: { key: { limit: 500 } }, silver: { key: { limit: 100 } } }),
});
const client = { ip: "203.0.113.7", key: undefined };

test("types: a call names dimensions, policies and plans that are there", async () => {
  // As in a test that is tried again.
  await named.reset({ ip: client.ip, "*": "" });
  const decision = await named.limit(client, { plan: "gold", cost: { address: 2, everybody: 3 } });
  expect(decision.policies.map(({ remaining }) => remaining)).toEqual([18, 997]);

  // @ts-expect-error a text, where policies have `by`
  await expect(named.limit("ada")).rejects.toThrow(/must be an object/);
  // @ts-expect-error no plan of the limiter
  await expect(named.limit(client, { plan: "golden" })).rejects.toThrow(/plan/);
  // @ts-expect-error no policy of the limiter
  await expect(named.limit(client, { cost: { adress: 2 } })).rejects.toThrow(/cost must name/);
  // @ts-expect-error one of two is no policy of the limiter
  await expect(named.peek(client, { cost: { key: 1, adress: 2 } })).rejects.toThrow(/cost must/);
  // @ts-expect-error no policy of the limiter
  await expect(named.charge(client, { adress: 2 })).rejects.toThrow(/cost must name/);
  // @ts-expect-error no policy of the limiter
  await expect(named.reserve(client, { cost: { adress: 2 } })).rejects.toThrow(/cost must name/);
  const usage: { total?: number } = {};
  // @ts-expect-error a number that may be missing
  await expect(named.limit(client, { cost: { key: usage.total } })).rejects.toThrow(/whole number/);
  // @ts-expect-error no dimension of a policy
  await expect(named.limit({ ipp: "203.0.113.7", key: "a" })).resolves.toBeDefined();
});

test("types: without dimensions an identity is a text", async () => {
  const limiter = createLimiter({ store, policies: [tokenBucket({ ...bucket, name: "text" })] });
  expect((await limiter.limit("ada", { cost: { text: 2 } })).allowed).toBe(true);
  // @ts-expect-error an object, where no policy has `by`
  await expect(limiter.limit({ ip: "203.0.113.7" })).rejects.toThrow(/identity/i);
});

test("types: a limiter of literal policies is a Limiter, and one of unknown policies takes any name", async () => {
  const limitAny = async (limiter: Limiter, plan?: string) =>
    (await limiter.limit({ ip: "203.0.113.8" }, { plan, cost: { address: 1 } })).allowed;
  expect(await limitAny(named, "silver")).toBe(true);

  const by: string = "ip";
  const wide = createLimiter({ store, policies: [tokenBucket({ ...bucket, name: "wide", by })] });
  expect((await wide.limit({ [by]: "203.0.113.9" })).allowed).toBe(true);
  const unnamed = createLimiter({ store, policies: [tokenBucket(bucket)] });
  await unnamed.reset("ada");
  const cost = { "token-bucket-20-10-per-1s": 4 };
  expect((await unnamed.limit("ada", { cost })).policies[0]!.remaining).toBe(16);
});
