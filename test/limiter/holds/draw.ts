import fc from "fast-check";

import { ALGORITHMS } from "../../support/policy/options-of.ts";
import type { DrawnPolicy } from "./policies.ts";
import { type Fate, FATES } from "./witness.ts";

const policy = fc.record({
  algorithm: fc.constantFrom(...ALGORITHMS),
  limit: fc.integer({ min: 1, max: 12 }),
  windowMs: fc.constantFrom(100, 1_000, 3_000),
  parts: fc.integer({ min: 1, max: 7 }),
});

export const slots: fc.Arbitrary<DrawnPolicy> = fc.record({
  algorithm: fc.constant("concurrency" as const),
  limit: fc.integer({ min: 1, max: 4 }),
  windowMs: fc.constant(2_000),
  parts: fc.constant(1),
});

/** How time passes before a step. */
const gap = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("none" as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      /** To the next edge of a window's grid, or to where a hold or its slot is forgotten. */
      kind: fc.constantFrom("edge" as const, "age" as const),
      policy: fc.nat(3),
      hold: fc.nat(5),
      nudgeUs: fc.integer({ min: -3, max: 1 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant("share" as const),
      policy: fc.nat(3),
      /** Late settlements, and steps forward of the clock, come long after the window. */
      share: fc.oneof(
        { weight: 5, arbitrary: fc.double({ min: 0, max: 0.4, noNaN: true }) },
        fc.constantFrom(0.5, 1, 2.5, 40),
      ),
    }),
  },
);

const share = fc.constantFrom(0, 0.1, 0.3, 0.5, 0.5, 1);
const fates = fc.array(
  fc.oneof(
    { weight: 8, arbitrary: fc.constant<Fate>("answered") },
    { weight: 4, arbitrary: fc.constantFrom<Fate>(...FATES) },
  ),
  { maxLength: 4 },
);

const end = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("release" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("as reserved" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("settle" as const),
      /** Shares of the reservation, or above it of the limit; `undefined` names no cost. */
      shares: fc.array(fc.constantFrom(0, 0, 0.5, 0.5, 1, 1.4, 3, undefined), {
        minLength: 3,
        maxLength: 3,
      }),
    }),
  },
);

const act = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant("reserve" as const),
      shares: fc.array(share, { minLength: 3, maxLength: 3 }),
      client: fc.constantFrom(0, 0, 0, 1),
      key: fc.constantFrom(0, 0, 1),
      ttl: fc.constantFrom(undefined, "1s" as const, "1500ms" as const),
      fates: fc.oneof({ weight: 6, arbitrary: fc.constant([]) }, fates),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({
      kind: fc.constant("end" as const),
      hold: fc.oneof(fc.nat(2), fc.nat(9)),
      /** One after the other, or at once. */
      ends: fc.array(end, { minLength: 1, maxLength: 3 }),
      fates,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("extend" as const),
      hold: fc.nat(5),
      ttl: fc.constantFrom(undefined, "1s" as const),
      fates,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("change" as const),
      limit: fc.constantFrom(0.3, 0.5, 1, 2),
      window: fc.constantFrom(0.5, 0.97, 1, 2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("clock back" as const),
      share: fc.double({ min: 0, max: 3, noNaN: true }),
    }),
  },
);

export type Act = typeof act extends fc.Arbitrary<infer Value> ? Value : never;
export type Gap = typeof gap extends fc.Arbitrary<infer Value> ? Value : never;
export type End = typeof end extends fc.Arbitrary<infer Value> ? Value : never;

export interface Story {
  readonly policies: readonly DrawnPolicy[];
  readonly dimensions: boolean;
  /** Where the clock begins in the windows, in microseconds. */
  readonly offsetUs: number;
  /** The upsets that a story may have: of the acts `change` and `clock back`, and of changes those of windows and rates. */
  readonly upsets: { readonly limits: boolean; readonly windows: boolean; readonly clock: boolean };
  readonly steps: readonly { readonly gap: Gap; readonly act: Act }[];
}

/** Stories of policies like these, with a concurrency policy beside them or without. */
export function storyOf(counting: fc.Arbitrary<DrawnPolicy[]>): fc.Arbitrary<Story> {
  return fc.record({
    policies: fc
      .tuple(counting, fc.option(slots, { freq: 2, nil: undefined }))
      .map(([some, beside]) => some.concat(beside ?? [])),
    dimensions: fc.boolean(),
    offsetUs: fc.nat(3_000_000),
    upsets: fc.record({
      limits: fc.boolean(),
      windows: fc.constantFrom(false, false, true),
      clock: fc.constantFrom(false, false, true),
    }),
    steps: fc.array(fc.record({ gap, act }), { minLength: 2, maxLength: 40, size: "max" }),
  });
}

export const alone = (algorithm: (typeof ALGORITHMS)[number]): fc.Arbitrary<DrawnPolicy[]> =>
  policy.map((drawn) => [{ ...drawn, algorithm }]);
export const together: fc.Arbitrary<DrawnPolicy[]> = fc.array(policy, {
  minLength: 2,
  maxLength: 3,
});
