import { expect, test } from "vitest";

import { IMPLEMENTATIONS } from "../../src/algorithms/all.ts";
import { tightenPolicy } from "../../src/policy/tighten.ts";
import { EVERY_ALGORITHM } from "../support/algorithms/all.ts";
import { compilePolicy } from "../support/compile-policy.ts";
import { type Policy, tokenBucket } from "../support/limiter/plain.ts";

const tightened = (policy: Policy, lease = 100_000) => tightenPolicy(compilePolicy(policy), lease);

test("a token bucket is smaller by the units that come back within a lease, rounded up", () => {
  expect(tightened(tokenBucket({ limit: 100, refill: 100, per: "1s" }))).toMatchObject({
    limit: 90,
    windowUs: 900_000,
    parameters: { intervalUs: 10_000, divisor: 1 },
    field: '"token-bucket-100-100-per-1s";q=90;w=1',
  });
  expect(tightened(tokenBucket({ limit: 100, refill: 101, per: "1s" })).limit).toBe(89);
  expect(tightened(tokenBucket({ limit: 100, refill: 1, per: "1h" })).limit).toBe(99);
});

test.for(EVERY_ALGORITHM.filter(({ tightens }) => tightens === "window"))(
  "$algorithm: tightened, it has a window that is longer by a lease",
  ({ of }) => {
    const policy = { ...of(30, "2s", 7), name: "as-given" };
    // The script counts the longer window under the key of the policy's own.
    const { key } = compilePolicy(policy);
    const longer = compilePolicy({ ...policy, window: "2.1s" } as Policy);
    expect(tightened(policy)).toEqual({ ...longer, key });
  },
);

test.for(EVERY_ALGORITHM.filter(({ tightens }) => tightens === "limit"))(
  "$algorithm: tightened, it admits as much less as comes back within a lease, at the same rate",
  ({ of }) => {
    const policy = { ...of(30, "3s"), name: "as-given" };
    const given = compilePolicy(policy);
    // A unit comes back every 100 ms.
    const { field: _field, ...smaller } = compilePolicy({ ...policy, limit: 28 });
    expect(tightened(policy, 200_000)).toMatchObject({ ...smaller, key: given.key });
    expect(tightened(policy, 200_001).limit).toBe(27);
  },
);

test.for(EVERY_ALGORITHM.filter(({ tightens }) => tightens === "nothing"))(
  "$algorithm stays as it is",
  ({ of }) => {
    expect(tightened(of(30, "1s"))).toEqual(compilePolicy(of(30, "1s")));
  },
);

test.for(
  EVERY_ALGORITHM.flatMap(({ of, algorithm }) =>
    (["3s", "366d"] as const).map((window) => [algorithm, window, of] as const),
  ),
)(
  "%s of the largest limit in %s stays within the exactly counted range",
  ([algorithm, window, of]) => {
    const { maxLimit } = IMPLEMENTATIONS[algorithm];
    const policy = of(maxLimit, window, 60);
    const { limit, windowUs, scriptArguments } = tightened(policy, 1_000_000);
    for (const number of [limit, ...scriptArguments.slice(1), Math.round(windowUs)]) {
      expect(Number.isSafeInteger(Number(number))).toBe(true);
    }
    expect(limit).toBeGreaterThan(0);
  },
);
