import type { Refuse } from "../../options/faults.ts";
import { CIDR, CIDR_BITS, CIDR_OF_IPV4, CIDR_PREFIX } from "../../options/messages.ts";
import { type Address, formatAddress, parseAddress } from "../../partition/ip-address.ts";

/** The bits of an IPv6 address before the IPv4 address that it may contain. */
const BEFORE_IPV4 = 96;

/** Parses a range, or one address; `undefined` if the text is neither, and then tells `refuse` what is wrong. */
export function parseCidr(
  text: unknown,
  refuse: Refuse = () => undefined,
): Omit<Range, "untilMs"> | undefined {
  if (typeof text !== "string") return refuse(CIDR);
  const [, address = "", length] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const first = parseAddress(address);
  if (!first) return refuse(CIDR);
  const isIpv6 = address.includes(":");
  const bits = isIpv6 ? 128 : 32;
  const written = length === undefined ? bits : Number(length);
  if (written > bits) return refuse(CIDR_PREFIX, bits);
  const containsIpv4 = isIpv6 && first.length === 1;
  // All of IPv4 would be too much to mean by a prefix such as 64:ff9b::/96.
  if (containsIpv4 && written <= BEFORE_IPV4) {
    return refuse(CIDR_OF_IPV4);
  }
  const prefix = containsIpv4 ? written - BEFORE_IPV4 : written;
  const network = withoutHostBits(first, prefix);
  if (network.some((word, i) => word !== first[i])) {
    const range = `${formatAddress(network)}/${prefix}`;
    return refuse(CIDR_BITS, { range, address: formatAddress(first) });
  }
  return { first, prefix };
}

function withoutHostBits(address: Address, prefix: number): Address {
  return address.map((word, i) => {
    const hostBits = Math.min(32, Math.max(0, 32 * (i + 1) - prefix));
    return word - (word % 2 ** hostBits);
  });
}

/** Addresses that begin with the same bits. */
export interface Range {
  /** The first address; its bits after the prefix are 0. */
  readonly first: Address;
  /** How many bits the addresses share. */
  readonly prefix: number;
  /** When the range ends, in milliseconds since 1970; `Infinity` for never. */
  readonly untilMs: number;
}

/** Until when an address is covered, in milliseconds since 1970; `-Infinity` if it is not. */
export type CoveredUntil = (address: Address) => number;

/**
 * Compiles ranges of addresses with the same number of words. Where ranges overlap, the one that ends last counts.
 *
 * A range lies within another one or beside it, so that together they cut the addresses into pieces, each covered until
 * one moment. Sorted typed arrays hold the first address of each piece: 24 bytes for an IPv6 piece, 12 for IPv4.
 */
export function compileRanges(ranges: readonly Range[]): CoveredUntil {
  const pieces = cutIntoPieces(ranges);
  const width = pieces[0]?.first.length ?? 0;
  const firsts = new Uint32Array(pieces.length * width);
  const untilsMs = new Float64Array(pieces.length);
  for (const [i, { first, untilMs }] of pieces.entries()) {
    firsts.set(first, i * width);
    untilsMs[i] = untilMs;
  }

  return function coveredUntil(address) {
    let low = 0;
    let high = untilsMs.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (beginsAfter(firsts, middle * width, address)) high = middle;
      else low = middle + 1;
    }
    return low === 0 ? -Infinity : untilsMs[low - 1]!;
  };
}

interface Piece {
  readonly first: Address;
  readonly untilMs: number;
}

function cutIntoPieces(ranges: readonly Range[]): readonly Piece[] {
  const pieces: Piece[] = [];
  /** The ranges around the place that was reached, the widest first, each with the moment that counts within it. */
  const open: { readonly end: Address | undefined; readonly untilMs: number }[] = [];

  function begin(first: Address, untilMs: number): void {
    // Ranges that begin or end at the same address: the last one is the narrowest, or what lies behind all of them.
    if (pieces.length > 0 && compare(pieces.at(-1)!.first, first) === 0) pieces.pop();
    if ((pieces.at(-1)?.untilMs ?? -Infinity) !== untilMs) pieces.push({ first, untilMs });
  }

  /** Ends the ranges that lie before an address; all of them without one. */
  function endBefore(address?: Address): void {
    for (let last; (last = open.at(-1));) {
      if (address && (!last.end || compare(last.end, address) > 0)) return;
      open.pop();
      if (last.end) begin(last.end, open.at(-1)?.untilMs ?? -Infinity);
    }
  }

  for (const { first, prefix, untilMs } of ranges.toSorted(widestFirst)) {
    endBefore(first);
    const latestMs = Math.max(untilMs, open.at(-1)?.untilMs ?? -Infinity);
    begin(first, latestMs);
    open.push({ end: endOf(first, prefix), untilMs: latestMs });
  }
  endBefore();
  return pieces;
}

function widestFirst(a: Range, b: Range): number {
  return compare(a.first, b.first) || a.prefix - b.prefix;
}

function compare(a: Address, b: Address): number {
  for (let i = 0; i < a.length; i++) {
    if (a[i] !== b[i]) return a[i]! - b[i]!;
  }
  return 0;
}

/** The first address after a range; `undefined` if there is none. */
function endOf(first: Address, prefix: number): Address | undefined {
  const end = [...first];
  let carry = 2 ** (31 - ((prefix - 1) & 31));
  for (let i = (prefix - 1) >> 5; i >= 0; i--) {
    const sum = end[i]! + carry;
    end[i] = sum % 2 ** 32;
    if (sum < 2 ** 32) return end;
    carry = 1;
  }
  return undefined;
}

/** Whether the words from `at` are an address after the given one. */
function beginsAfter(firsts: Uint32Array, at: number, address: Address): boolean {
  for (let i = 0; i < address.length; i++) {
    const word = firsts[at + i]!;
    if (word !== address[i]) return word > address[i]!;
  }
  return false;
}
