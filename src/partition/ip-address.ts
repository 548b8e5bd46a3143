/** An address as words of 32 bits: one of IPv4, four of IPv6. IPv6 that contains IPv4 is that IPv4. */
export type Address = readonly number[];

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** An address without port, brackets and zone; `undefined` for anything else. */
export function parseAddress(text: string): Address | undefined {
  if (IPV4.test(text)) return [ipv4Word(text)];
  const words = ipv6Words(text);
  return words && carriesIpv4(words) ? [words[3]!] : words;
}

/** The longest address with a port and a zone takes some 80 characters. A client may write a long text that is not an address. */
const MAX_LENGTH = 128;

/** An address as proxies write it: some add a port or a zone, as in 192.0.2.1:443, [2001:db8::1]:443, fe80::1%eth0. */
export function readAddress(text: unknown): Address | undefined {
  if (typeof text !== "string" || text.length > MAX_LENGTH) return undefined;
  return parseAddress(text) ?? parseAddress(withoutPortAndZone(text));
}

/**
 * An address in canonical form: IPv4 as it is, IPv6 that contains IPv4 as that IPv4, other IPv6 as its /64, because
 * one subscriber has at least that many addresses. `undefined` for anything else.
 */
export function ipPartition(text: unknown): string | undefined {
  // Most addresses are written in canonical form.
  if (typeof text === "string" && IPV4.test(text)) return text;
  const address = readAddress(text);
  if (!address) return undefined;
  return address.length === 1 ? formatIpv4(address[0]!) : `${hexGroups(address.slice(0, 2))}::/64`;
}

/** An address in canonical form, IPv6 that contains IPv4 as that IPv4; any other text as it is. */
export function tidyAddress(text: string): string {
  if (IPV4.test(text)) return text;
  const address = readAddress(text);
  return address ? formatAddress(address) : text.trim();
}

/** The canonical text of an address (RFC 5952). */
export function formatAddress(address: Address): string {
  if (address.length === 1) return formatIpv4(address[0]!);
  return new URL(`http://[${hexGroups(address)}]`).hostname.slice(1, -1);
}

function withoutPortAndZone(text: string): string {
  return text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^([^:]+):\d+$/, "$1")
    .replace(/%[^]*/, "");
}

/** The network of an address: of IPv4 its /24; of IPv6 the /48, the most that one site gets (RFC 6177). */
export function subnetOf(partition: string): string {
  return partition.includes(":")
    ? `${partition.split(":", 3).join(":")}::/48`
    : `${partition.slice(0, partition.lastIndexOf("."))}.0/24`;
}

/** Whether an IPv6 address stands for an IPv4 one: mapped, or translated (RFC 6052). */
function carriesIpv4([a, b, c]: Address): boolean {
  return b === 0 && ((a === 0 && c === 0xffff) || (a === 0x64_ff9b && c === 0));
}

function formatIpv4(word: number): string {
  return `${word >>> 24}.${(word >>> 16) & 255}.${(word >>> 8) & 255}.${word & 255}`;
}

function hexGroups(words: Address): string {
  return words
    .map((word) => `${(word >>> 16).toString(16)}:${(word & 0xffff).toString(16)}`)
    .join(":");
}

function ipv4Word(text: string): number {
  let word = 0;
  for (const byte of text.split(".")) word = word * 256 + Number(byte);
  return word;
}

/** The words of an IPv6 address. */
function ipv6Words(text: string): Address | undefined {
  if (text.includes(".")) {
    // The last two groups may be written as IPv4.
    const last = text.slice(text.lastIndexOf(":") + 1);
    if (!IPV4.test(last)) return undefined;
    return ipv6Words(text.slice(0, -last.length) + hexGroups([ipv4Word(last)]));
  }
  if (!/^[\da-f:]+$/i.test(text)) return undefined;
  // An empty group is the "::", which stands for at least one.
  let gaps = text.includes("::") ? 1 : 0;
  const start = text.startsWith("::") ? 1 : 0;
  const groups = text.slice(start, text.endsWith("::") ? -1 : undefined).split(":");
  if (groups.length > 8) return undefined;
  const words = [0, 0, 0, 0];
  let place = 0;
  for (const group of groups) {
    if (group.length > 4 || (group === "" && gaps-- === 0)) return undefined;
    const value = parseInt(group || "0", 16);
    words[place >> 1]! += place % 2 === 0 ? value * 65_536 : value;
    place += group ? 1 : 9 - groups.length;
  }
  return place === 8 ? words : undefined;
}
