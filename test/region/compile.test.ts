import { expect, test } from "vitest";

import { compileRegion } from "../../src/features/compile-region.ts";
import { compileNumbers } from "../../src/features/plans.ts";
import { withLeases } from "../../src/gateway/rules/with-leases.ts";
import { Faults } from "../../src/options/faults.ts";
import type { CompiledPolicy } from "../../src/policy/compile.ts";
import { tightenPolicy } from "../../src/policy/tighten.ts";
import { compile, compilePolicy } from "../support/compile-policy.ts";
import { type Policy, slidingWindowLog, tokenBucket } from "../support/limiter/plain.ts";

const redis = { url: "https://near.example", token: "t" };
const bucket = tokenBucket({ name: "b", limit: 4_000, refill: 1_000, per: "1s" });
const log = slidingWindowLog({ name: "l", limit: 600, window: "1m" });

/** The policies as home enforces them. */
function atHome(
  policies: readonly Policy[],
  options: object = {},
  plans = new Map<string, readonly CompiledPolicy[]>(),
) {
  const faults = new Faults();
  const compiled = compile(policies);
  const region = { name: "a", redis, ...options };
  const nearby = compileRegion({ region }, { policies: compiled, plans }, faults)!;
  faults.throwIfAny();
  return compiled.map((policy) => nearby(policy));
}

test("home enforces policies that are tighter by a term: a second, or a fifth of what each permits", () => {
  const [b, l] = atHome([bucket, log]);
  expect(b).toMatchObject({ limit: 3_600, region: { termUs: 400_000, credit: 0, reserve: 0 } });
  expect(l).toMatchObject({ limit: 600, windowUs: 61e6, region: { termUs: 1e6 } });
  expect([b!.key, l!.key]).toEqual(compile([bucket, log]).map(({ key }) => key));
});

test("a term is no longer than a policy permits", () => {
  const [b, l] = atHome([bucket, log], { term: "10s" });
  expect(b).toMatchObject({ limit: 2_000, region: { termUs: 2e6 } });
  expect(l).toMatchObject({ windowUs: 66e6, region: { termUs: 6e6 } });
});

test("home leaves room for what all regions may admit on credit", () => {
  const [l] = atHome([log], { credit: 4, regions: 10 });
  const lowered = tightenPolicy(compilePolicy({ ...log, limit: 560 }), 1e6);
  expect(l).toMatchObject({ limit: 560, region: { termUs: 1e6, credit: 4, reserve: 40 } });
  expect(l!.scriptArguments).toEqual(lowered.scriptArguments);
});

test("without home each region has its part of a limit and of its rate, where onFailure is local", () => {
  const options = { regions: 3 };
  const [b, l, closed, few] = atHome(
    [
      bucket,
      { ...log, onFailure: { local: { share: 0.1 } } },
      { ...log, name: "closed", onFailure: "closed" },
      slidingWindowLog({ name: "few", limit: 2, window: "1m" }),
    ],
    options,
  );
  const whole = compilePolicy(bucket);
  expect(b!.share).toMatchObject({ limit: 1_333, key: whole.key });
  // A third of the rate: a unit comes three times later.
  expect(b!.share!.windowUs / 1_333).toBeCloseTo((3 * whole.windowUs) / whole.limit, 6);
  expect(l!.share).toMatchObject({ limit: 200, windowUs: 60e6 });
  expect([closed, few].map((policy) => policy!.share)).toEqual([undefined, undefined]);
});

test("a policy has the shortest term of its plans, because they share a pool", () => {
  const small = compile([{ ...log, window: "10s" }]);
  const [l] = atHome([log], {}, new Map([["gold", small]]));
  expect(l!.region).toMatchObject({ termUs: 200_000, credit: 0, reserve: 0 });
});

test("a client's own numbers are tightened, too; where too little would be left, home decides as they are written", () => {
  const policies = atHome([bucket, log], { credit: 2, regions: 5 });
  const numbered = (changes: object) => {
    const faults = new Faults();
    const own = compileNumbers(changes, "numbers", [bucket, log], policies, faults);
    faults.throwIfAny();
    return withLeases(own, policies);
  };
  expect(numbered({ l: { limit: 60 } })[1]).toMatchObject({
    limit: 50,
    windowUs: 61e6,
    region: { termUs: 1e6, credit: 2 },
  });
  const [b, l] = numbered({ l: { limit: 15 }, b: { limit: 100 } });
  expect(b).toMatchObject({ limit: 100, region: undefined });
  expect(l).toMatchObject({ limit: 15, region: undefined });
});
