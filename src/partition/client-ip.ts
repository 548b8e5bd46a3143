/** Who is trusted to say where a request comes from. */
export type ClientIp =
  /** Cloudflare, by `cf-connecting-ip`. */
  | "cloudflare"
  /** Vercel, by `x-real-ip`. */
  | "vercel"
  /** That many proxies of your own, each of which appends to `x-forwarded-for`; 1 to 32. */
  | { readonly trustedHops: number };

/** The platform whose header is safe to read here, if the runtime says so itself. */
export function detectPlatform(): "cloudflare" | "vercel" | undefined {
  if (globalThis.navigator?.userAgent === "Cloudflare-Workers") return "cloudflare";
  if ("EdgeRuntime" in globalThis) return "vercel";
  return undefined;
}

/** The client's address as its partition, IPv6 by its /64; `undefined` where the trusted header has none. */
export function clientIp(headers: Headers, trusted: ClientIp): string | undefined {
  if (trusted === "cloudflare") return ipPartition(headers.get("cf-connecting-ip"));
  if (trusted === "vercel") return ipPartition(headers.get("x-real-ip"));
  // Every trusted hop appended the address it was called from, so the client stands that many places from the right;
  // what is left of it, the client may have made up.
  return ipPartition(headers.get("x-forwarded-for")?.split(",").at(-trusted.trustedHops));
}

const IPV4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

/**
 * An address in canonical form: IPv4 as it is, IPv4-mapped IPv6 as that IPv4, other IPv6 as its /64, since one
 * subscriber has at least that much. `undefined` for anything else.
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
  if (groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff) {
    return [groups[6]! >> 8, groups[6]! & 255, groups[7]! >> 8, groups[7]! & 255].join(".");
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(":")}::/64`;
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
