import { type Address, formatAddress, parseAddress } from "../partition/ip-address.ts";
import type { Range } from "./ranges.ts";

const CIDR_REMEDY =
  'Give an address or a range of addresses, such as "203.0.113.7", "203.0.113.0/24" or "2001:db8::/32".';

/** The bits of an IPv6 address before the IPv4 address that it may contain. */
const BEFORE_IPV4 = 96;

/** Parses a range, or one address. Returns the remedy if the text is neither. */
export function parseCidr(text: unknown): Omit<Range, "untilMs"> | string {
  if (typeof text !== "string") return CIDR_REMEDY;
  const [, address = "", length] = /^([^/]*)(?:\/(0|[1-9]\d{0,2}))?$/.exec(text) ?? [];
  const first = parseAddress(address);
  if (!first) return CIDR_REMEDY;
  const isIpv6 = address.includes(":");
  const bits = isIpv6 ? 128 : 32;
  const written = length === undefined ? bits : Number(length);
  if (written > bits) return `Give a prefix length from 0 to ${bits}.`;
  const containsIpv4 = isIpv6 && first.length === 1;
  // All of IPv4 would be too much to mean by a prefix such as 64:ff9b::/96.
  if (containsIpv4 && written <= BEFORE_IPV4) {
    return 'These addresses stand for IPv4 ones: write those, such as "203.0.113.0/24".';
  }
  const prefix = containsIpv4 ? written - BEFORE_IPV4 : written;
  const network = withoutHostBits(first, prefix);
  if (network.some((word, i) => word !== first[i])) {
    return `It has bits beyond its prefix: write "${formatAddress(network)}/${prefix}", or "${formatAddress(first)}" for one address.`;
  }
  return { first, prefix };
}

function withoutHostBits(address: Address, prefix: number): Address {
  return address.map((word, i) => {
    const hostBits = Math.min(32, Math.max(0, 32 * (i + 1) - prefix));
    return word - (word % 2 ** hostBits);
  });
}
