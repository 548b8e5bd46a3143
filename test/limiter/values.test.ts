import { expect, expectTypeOf, test } from "vitest";

import { rateLimit } from "../../src/hono.ts";
import {
  concurrency,
  createLimiter,
  denials,
  failures,
  fixedWindow,
  type Hold,
  lease,
  limit,
  lists,
  memoryStore,
  month,
  notify,
  optimistic,
  type MadeBy,
  type Policy,
  refundable,
  shadow,
  shards,
  shareDenials,
  slidingWindowCounter,
  tokenBucket,
} from "../../src/index.ts";

const bucket = { limit: 20, refill: 10, per: "1s" } as const;

test("without values a limiter only counts", async () => {
  const limiter = createLimiter({
    store: memoryStore(),
    policies: [tokenBucket({ ...bucket, limit: 1 })],
  });
  expect((await limiter.limit("a")).allowed).toBe(true);
  expect((await limiter.limit("a")).allowed).toBe(false);
  await expect(limiter.limit("a", { plan: "gold" })).rejects.toThrow(
    /no plans: give it plans: plans/,
  );
  // For untyped code.
  await expect((limiter as any).reserve("a")).rejects.toThrow(/reserve\(\) needs a policy that/);
});

test.each([
  ["lease", tokenBucket({ ...bucket, lease: lease("100ms") })],
  ["mode", shadow(tokenBucket(bucket))],
])("limit() takes no %s", async (option, policy) => {
  await expect(limit("a", policy as Policy)).rejects.toThrow(
    new RegExp(`policies\\[0\\]\\.${option}: .*limit\\(\\) has none`),
  );
});

type Reserves<Make extends () => unknown> = "reserve" extends keyof ReturnType<Make> ? true : false;

test("types: reserve() only where something is given back", () => {
  const plain = () => createLimiter({ policies: [tokenBucket(bucket)] });
  expectTypeOf<Reserves<typeof plain>>().toEqualTypeOf<false>();
  const holding = () =>
    createLimiter({
      policies: [tokenBucket(bucket), tokenBucket({ ...bucket, refundable: refundable() })],
    });
  expectTypeOf<Reserves<typeof holding>>().toEqualTypeOf<true>();
  const shadowed = () =>
    createLimiter({ policies: [shadow(tokenBucket({ ...bucket, refundable: refundable() }))] });
  expectTypeOf<Reserves<typeof shadowed>>().toEqualTypeOf<true>();
  const failing = () =>
    createLimiter({ policies: [fixedWindow({ limit: 1, window: "1d", counts: failures() })] });
  expectTypeOf<Reserves<typeof failing>>().toEqualTypeOf<true>();
  const banning = () =>
    createLimiter({ policies: [fixedWindow({ limit: 1, window: "1d", counts: denials() })] });
  expectTypeOf<Reserves<typeof banning>>().toEqualTypeOf<false>();
  const slots = () => createLimiter({ policies: [concurrency({ limit: 1 })] });
  expectTypeOf<Reserves<typeof slots>>().toEqualTypeOf<true>();
  expectTypeOf<Awaited<ReturnType<ReturnType<typeof slots>["reserve"]>>>().toEqualTypeOf<Hold>();
  expect(slots).toBeTypeOf("function");
  // @ts-expect-error a plain value
  void (() => tokenBucket({ ...bucket, lease: "100ms" }));
  // @ts-expect-error the value of another option
  void (() => tokenBucket({ ...bucket, lease: shards(8) }));
  // @ts-expect-error a misspelt option
  void (() => tokenBucket({ limit: 20, refill: 10, per: "1s", leese: lease("100ms") }));
  // @ts-expect-error a misspelt option of a limiter
  void (() => createLimiter({ policies: [tokenBucket(bucket)], prefx: "a" }));
  // @ts-expect-error plans as data
  void (() => createLimiter({ policies: [tokenBucket(bucket)], plans: { gold: {} } }));
  void (() =>
    createLimiter({
      policies: [tokenBucket(bucket)],
      sharedDenials: shareDenials({} as any),
    }));
});

test("types: each option takes its own value, and data stays data", () => {
  const base = { limit: 20, window: "1d" } as const;
  // @ts-expect-error a value where a number stands
  void (() => fixedWindow({ ...base, limit: shards(8) }));
  // @ts-expect-error the word of rules
  void (() => fixedWindow({ ...base, counts: "denials" }));
  // @ts-expect-error the word of rules
  void (() => fixedWindow({ ...base, mode: "shadow" }));
  // @ts-expect-error shards as a number
  void (() => fixedWindow({ ...base, shards: 8 }));
  // @ts-expect-error a boolean
  void (() => fixedWindow({ ...base, refundable: true }));
  // @ts-expect-error a boolean
  void (() => fixedWindow({ ...base, optimistic: true }));
  // @ts-expect-error a share without a listener
  void (() => fixedWindow({ ...base, notify: notify(0.8) }));
  // @ts-expect-error a window of a calendar is month()
  void (() => fixedWindow({ limit: 1, window: "month" }));
  // @ts-expect-error only fixed windows are of a calendar
  void (() => slidingWindowCounter({ limit: 1, window: month() }));
  // @ts-expect-error a misspelt place of a calendar
  void (() => month({ timezone: "UTC" }));
  // @ts-expect-error a misspelt option of failures()
  void (() => failures({ statuses: [401] }));
  // @ts-expect-error a misspelt option of optimistic()
  void (() => optimistic({ unsetled: 1 }));
  // @ts-expect-error no duration
  void (() => lease("soon"));
  // @ts-expect-error the value of another option
  void (() => createLimiter({ policies: [fixedWindow(base)], plans: lists({}) }));
  // @ts-expect-error a client that is not wrapped
  void (() => createLimiter({ policies: [fixedWindow(base)], redis: { evalsha() {}, eval() {} } }));
  // @ts-expect-error a source as text
  void (() => rateLimit({ policies: [fixedWindow(base)], partition: ["header:x-api-key"] }));
  // @ts-expect-error plans as data
  void (() => rateLimit({ policies: [fixedWindow(base)], plans: {} }));
  // @ts-expect-error nothing is given back
  void (() => createLimiter({ policies: [fixedWindow(base)] }).reserve("a"));
  void (() =>
    // @ts-expect-error nor where one denies what others count
    createLimiter({ policies: [fixedWindow({ ...base, counts: denials() })] }).reserve("a"));
  // Policies of unknown origin may give something back.
  void ((policies: Policy[]) => createLimiter({ policies }).reserve("a"));
  expectTypeOf(shadow(tokenBucket(bucket))).toEqualTypeOf(tokenBucket(bucket));
  expectTypeOf(lease("100ms")).toEqualTypeOf<MadeBy<"lease()">>();
  expect(fixedWindow(base)).toMatchObject(base);
});
