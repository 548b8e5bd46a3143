import type { ClientFacts } from "./client-fields.ts";

/** The address that the client asked: an origin that learns it names itself by the client's scheme. */
type Asked = Pick<ClientFacts, "host" | "proto">;

/** Rewrites a field of an answer that names the origin's own address. Any other value stays as it is. */
export type RewriteField = (value: string, asked: Asked) => string;

/** The fields that may name the origin's own address, by name in lower case. */
export type OwnAddress = ReadonlyMap<string, RewriteField>;

/** The start of an address with a host, whose scheme may be missing. Browsers read backslashes as slashes. */
const BEFORE_HOST = /^(https?:)?[/\\]{2}/i;

/** The part before the address in `Refresh: 5; url=/next`, which browsers follow as they do `Location`. */
const BEFORE_ADDRESS = /^\s*(?:url\s*=\s*)?["']?/i;

/**
 * Compiles how what an origin says about its own address becomes what its clients see of it. Else its redirects would lead
 * around the gateway, and browsers would refuse its cookies.
 *
 * @param url without a trailing slash
 */
export function ownAddress(url: string): OwnAddress {
  const own = new URL(url);
  const path = url.indexOf("/", url.indexOf("//") + 2);
  const base = path === -1 ? "" : url.slice(path);

  function address(value: string, asked: Asked): string {
    const { scheme, authority, path } = partsOf(value, own.protocol);
    if (authority !== "") {
      const origin = originIn(`${scheme}//${authority}`);
      const isOwn = origin === own.origin || origin === originIn(`${asked.proto}://${own.host}`);
      return (isOwn && below(base, path)) || value;
    }
    return (base !== "" && value.startsWith("/") && below(base, value)) || value;
  }

  function cookie(value: string, { host }: Asked): string {
    const client = host.replace(/:\d+$/, "").toLowerCase();
    return value
      .replaceAll(/;\s*domain\s*=\s*\.?([^;]*)/gi, (attribute, text: string) => {
        const domain = text.trim().toLowerCase();
        const isClients = client === domain || client.endsWith(`.${domain}`);
        return domain === own.hostname && !isClients ? "" : attribute;
      })
      .replaceAll(/(;\s*path\s*=\s*)([^;]*)/gi, (attribute, start: string, path: string) => {
        const mapped = base === "" ? undefined : below(base, path);
        return mapped === undefined ? attribute : start + mapped;
      });
  }

  function refresh(value: string, asked: Asked): string {
    const end = value.search(/[;,]/);
    if (end === -1) return value;
    const after = value.slice(end + 1);
    const start = end + 1 + BEFORE_ADDRESS.exec(after)![0].length;
    return value.slice(0, start) + address(value.slice(start), asked);
  }

  return new Map<string, RewriteField>([
    ["location", address],
    ["content-location", address],
    ["refresh", refresh],
    ["set-cookie", cookie],
  ]);
}

/** The parts of an address; without a host, all of it is the path. */
function partsOf(value: string, ownScheme: string) {
  const [start, scheme = ownScheme] = BEFORE_HOST.exec(value) ?? [];
  if (start === undefined) return { scheme, authority: "", path: value };
  let begin = start.length;
  while (begin < value.length && "/\\".includes(value[begin]!)) begin++;
  const length = value.slice(begin).search(/[/\\?#]/);
  const end = length === -1 ? value.length : begin + length;
  return { scheme, authority: value.slice(begin, end), path: value.slice(end) };
}

/** The scheme, the host and the port of an address; `undefined` if the text is not an address. */
function originIn(address: string): string | undefined {
  try {
    return new URL(address).origin;
  } catch {
    return undefined;
  }
}

/** A path of the origin as its clients ask for it; `undefined` if the gateway does not lead there. */
function below(base: string, path: string): string | undefined {
  if (!path.startsWith(base)) return undefined;
  const rest = path.slice(base.length);
  if (/^(?:[?#]|$)/.test(rest)) return `/${rest}`;
  if (!/^[/\\]/.test(rest)) return undefined;
  // Two slashes would begin the name of another host.
  return /^[/\\]{2}/.test(rest) ? `/.${rest}` : rest;
}
