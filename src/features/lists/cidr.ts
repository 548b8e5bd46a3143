import type { Refuse } from "../../options/faults.ts";
import { CIDR, CIDR_BITS, CIDR_OF_IPV4, CIDR_PREFIX } from "../../options/messages.ts";
import { type Address, formatAddress, parseAddress } from "../../partition/ip-address.ts";
import type { Range } from "./address-ranges.ts";

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
