import type { ClientFacts } from "./client-fields.ts";

/** What the client asked: an origin that is told so names itself by the client's scheme. */
type Asked = Pick<ClientFacts, "host" | "proto">;

/** Rewrites a field of an answer that names the origin's own address. Any other value stays as it is. */
export type RewriteField = (value: string, asked: Asked) => string;

/** The fields that may name the origin's own address, by name in lower case. */
export type OwnAddress = ReadonlyMap<string, RewriteField>;

/** An address with a host, whose scheme may be missing. Browsers read backslashes as slashes. */
const WITH_HOST = /^(https?:)?[/\\]{2,}([^/\\?#]*)([^]*)$/i;

/** `Refresh: 5; url=/next`, which browsers follow as they do `Location`. */
const REFRESH = /^([^;,]*[;,]\s*(?:url\s*=\s*)?["']?)([^]*)$/i;

/**
 * Compiles how what an origin says about its own address becomes what its clients see of it. Else its redirects would lead
 * around the gateway, and browsers would refuse its cookies.
 *
 * @param url without a trailing slash
 */
export function ownAddress(url: string): OwnAddress {
  const own = new URL(url);
  const [base = ""] = /(?<=^https?:[/][/][^/]*)[/].*$/i.exec(url) ?? [];

  function address(value: string, asked: Asked): string {
    const [, scheme = own.protocol, authority = "", path = ""] = WITH_HOST.exec(value) ?? [];
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

  return new Map<string, RewriteField>([
    ["location", address],
    ["content-location", address],
    [
      "refresh",
      (value, asked) => value.replace(REFRESH, (_, start, to) => start + address(to, asked)),
    ],
    ["set-cookie", cookie],
  ]);
}

/** The scheme, the host and the port of an address; `undefined` if it is none. */
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
