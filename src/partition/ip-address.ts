const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/** The first six groups of IPv6 addresses that contain an IPv4 one: mapped, and translated (RFC 6052). */
const CARRIES_IPV4 = new Set(["0:0:0:0:0:ffff", "64:ff9b:0:0:0:0"]);

/**
 * An address in canonical form: IPv4 as it is, IPv6 that contains IPv4 as that IPv4, other IPv6 as its /64, because
 * one subscriber has at least that many addresses. `undefined` for anything else.
 */
export function ipPartition(text: string | null | undefined): string | undefined {
  if (!text) return undefined;
  // Some proxies write the port or a zone too: 192.0.2.1:443, [2001:db8::1]:443, fe80::1%eth0.
  const address = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, "$1")
    .replace(/^([^:]+):\d+$/, "$1")
    .replace(/%.*$/, "");
  if (IPV4.test(address)) return address;
  const groups = ipv6Groups(address);
  if (!groups) return undefined;
  const hex = groups.map((group) => group.toString(16));
  if (CARRIES_IPV4.has(hex.slice(0, 6).join(":"))) {
    return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join(".");
  }
  return `${hex.slice(0, 4).join(":")}::/64`;
}

/** The network of an address: of IPv4 its /24; of IPv6 the /48, the most that one site gets (RFC 6177). */
export function subnetOf(partition: string): string {
  return partition.includes(":")
    ? `${partition.split(":", 3).join(":")}::/48`
    : partition.replace(/\d+$/, "0/24");
}

/** The eight groups of an IPv6 address, parsed by the platform's own URL parser. */
function ipv6Groups(address: string): number[] | undefined {
  if (!/^[0-9a-f:.]{2,45}$/i.test(address) || !URL.canParse(`http://[${address}]`)) {
    return undefined;
  }
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const before = head === "" ? [] : head.split(":");
  const after = tail ? tail.split(":") : [];
  const zeros = Array<string>(8 - before.length - after.length).fill("0");
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}
