import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { compileRanges, type Range } from "../../src/features/lists/address-ranges.ts";
import type { Address } from "../../src/partition/ip-address.ts";

/** An address as one number. */
function toNumber(address: Address): bigint {
  return address.reduce((number, word) => number * 2n ** 32n + BigInt(word), 0n);
}

function toAddress(number: bigint, words: number): Address {
  return Array.from({ length: words }, (_, i) =>
    Number((number >> BigInt(32 * (words - 1 - i))) & 0xffff_ffffn),
  );
}

/** The range of this prefix around an address. */
function around(address: Address, prefix: number, untilMs: number): Range {
  const hostBits = BigInt(32 * address.length - prefix);
  const first = toAddress((toNumber(address) >> hostBits) << hostBits, address.length);
  return { first, prefix, untilMs };
}

/** The answer of going through all ranges. */
function latestOf(ranges: readonly Range[], address: Address): number {
  const bits = 32 * address.length;
  const covering = ranges.filter(({ first, prefix }) => {
    const hostBits = BigInt(bits - prefix);
    return toNumber(first) >> hostBits === toNumber(address) >> hostBits;
  });
  return Math.max(...covering.map(({ untilMs }) => untilMs));
}

/** Words with few different bits, so that ranges lie within and beside each other, and at both ends. */
const word = fc.oneof(
  fc.constantFrom(0, 1, 2, 3, 0x8000_0000, 0x7fff_ffff, 0xffff_fffe, 0xffff_ffff),
  fc.nat(0xffff_ffff),
);
const untilMs = fc.constantFrom(100, 200, 300, Infinity);

const neighbours = (address: Address): Address[] => {
  const number = toNumber(address);
  const last = 2n ** BigInt(32 * address.length) - 1n;
  return [number - 1n, number, number + 1n]
    .filter((near) => near >= 0n && near <= last)
    .map((near) => toAddress(near, address.length));
};

/** The addresses where something can change: around both ends of each range. */
function edgesOf({ first, prefix }: Range): Address[] {
  const size = 2n ** BigInt(32 * first.length - prefix);
  return [
    ...neighbours(first),
    ...neighbours(toAddress(toNumber(first) + size - 1n, first.length)),
  ];
}

describe.for([
  ["IPv4", 1],
  ["IPv6", 4],
] as const)("ranges of %s", ([, words]) => {
  const address = fc.array(word, { minLength: words, maxLength: words });
  const range = fc
    .tuple(address, fc.nat(32 * words), untilMs)
    .map(([address, prefix, untilMs]) => around(address, prefix, untilMs));

  test("cover what going through all of them says, until the last one ends", () => {
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), fc.array(address), (ranges, addresses) => {
        const coveredUntil = compileRanges(ranges);
        for (const asked of [...addresses, ...ranges.flatMap(edgesOf)]) {
          expect([asked, coveredUntil(asked)]).toEqual([asked, latestOf(ranges, asked)]);
        }
      }),
      { numRuns: 500 },
    );
  });

  test("mean the same in any order", () => {
    fc.assert(
      fc.property(fc.array(range, { minLength: 2, maxLength: 8 }), (ranges) => {
        const [one, other] = [compileRanges(ranges), compileRanges(ranges.toReversed())];
        for (const asked of ranges.flatMap(edgesOf)) expect(one(asked)).toBe(other(asked));
      }),
    );
  });
});

test("no ranges cover nothing", () => {
  expect(compileRanges([])([0])).toBe(-Infinity);
  expect(compileRanges([])([0, 0, 0, 0])).toBe(-Infinity);
});

test("a range that ends later counts within a narrower one, and beside it", () => {
  const coveredUntil = compileRanges([
    { first: [10 * 2 ** 24], prefix: 8, untilMs: 200 },
    { first: [10 * 2 ** 24 + 256], prefix: 24, untilMs: 100 },
    { first: [10 * 2 ** 24 + 512], prefix: 24, untilMs: 300 },
  ]);
  const at = (offset: number) => coveredUntil([10 * 2 ** 24 + offset]);
  expect([at(-1), at(0), at(256), at(511), at(512), at(767), at(768)]).toEqual([
    -Infinity,
    200,
    200,
    200,
    300,
    300,
    200,
  ]);
  expect(at(2 ** 24)).toBe(-Infinity);
});
