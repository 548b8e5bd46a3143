/** An address as words of 32 bits: one of IPv4, four of IPv6. IPv6 that contains IPv4 is that IPv4. */
export type Address = readonly number[];

const DOT = 0x2e;
const COLON = 0x3a;
const ZERO = 0x30;

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
  let byte = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      word = word * 256 + byte;
      byte = 0;
    } else {
      byte = byte * 10 + code - ZERO;
    }
  }
  return word * 256 + byte;
}

/** The words of an IPv6 address. Reads characters one by one, because every request has an address. */
function ipv6Words(text: string): Address | undefined {
  const groups: number[] = [];
  /** How many groups come before the "::". */
  let gap = -1;
  let at = 0;
  if (text.startsWith("::")) {
    gap = 0;
    at = 2;
  }
  while (at < text.length) {
    if (groups.length === 8) return undefined;
    const start = at;
    let group = 0;
    for (let digit; (digit = hexDigit(text.charCodeAt(at))) >= 0; at++) group = group * 16 + digit;
    const digits = at - start;
    if (text.charCodeAt(at) === DOT) {
      // The last two groups may be written as IPv4.
      const rest = text.slice(start);
      if (!IPV4.test(rest)) return undefined;
      const word = ipv4Word(rest);
      groups.push(word >>> 16, word & 0xffff);
      break;
    }
    if (digits < 1 || digits > 4) return undefined;
    groups.push(group);
    if (at === text.length) break;
    if (text.charCodeAt(at++) !== COLON || at === text.length) return undefined;
    if (text.charCodeAt(at) === COLON) {
      if (gap !== -1) return undefined;
      gap = groups.length;
      at++;
    }
  }
  const missing = 8 - groups.length;
  // A "::" stands for at least one group.
  if (gap === -1 ? missing !== 0 : missing < 1) return undefined;
  const words = [0, 0, 0, 0];
  for (let i = 0; i < groups.length; i++) {
    const place = gap === -1 || i < gap ? i : i + missing;
    words[place >> 1]! += place % 2 === 0 ? groups[i]! * 65_536 : groups[i]!;
  }
  return words;
}

/** The value of a hexadecimal digit; NaN for any other character. */
function hexDigit(code: number): number {
  if (code >= ZERO && code < COLON) return code - ZERO;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : NaN;
}
