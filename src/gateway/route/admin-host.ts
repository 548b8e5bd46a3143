import type { Hono } from "hono";

import { OWN } from "./own-path.ts";
import { notFound } from "./route.ts";

/** The value of `ADMIN_HOST` that leaves the administration on every host. */
const ANY_HOST = "any";

/** Every host answers these: a load balancer asks by an address, and the site's pages show what their visitor has left. */
const ON_EVERY_HOST = [`/${OWN}/live`, `/${OWN}/quota`];

interface Host {
  readonly name: string;
  /** Empty if the text has none. */
  readonly port: string;
}

/** Reads a host with or without a port, as browsers compare it; `undefined` if the text is not a host. */
export function parseHost(text: string): Host | undefined {
  // A URL may have more than a host, and takes the port of its scheme out.
  const [, host, port = ""] = /^([^\s/?#@\\:]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [];
  if (host === undefined || !URL.canParse(`http://${host}`)) return undefined;
  const name = new URL(`http://${host}`).hostname.replace(/\.$/, "");
  return /^(?:[\w.-]+|\[.*\])$/.test(name) ? { name, port } : undefined;
}

/**
 * Keeps the administration and the site on hosts of their own: a page of the site, or a service worker that it has left
 * behind, could otherwise read the token in the dashboard's requests.
 *
 * @param adminHost of `ADMIN_HOST`; without a port, it stands for every port
 * @returns whether requests of the site have to be looked at, too
 */
export function keepHostsApart(gateway: Hono, adminHost: string | undefined): boolean {
  if (adminHost === undefined || adminHost === ANY_HOST) return false;
  const answerElsewhere = elsewhere(adminHost);
  gateway.use("*", async (c, next) => answerElsewhere(c.req.raw, c.req.path) ?? (await next()));
  return true;
}

/**
 * Only the address and the field `Host` name the host; any client writes the other fields that name one.
 *
 * @returns the answer to a request at the wrong host; `undefined` to any other
 */
function elsewhere(adminHost: string): (request: Request, path: string) => Response | undefined {
  const { name, port } = parseHost(adminHost)!;

  function isAdmin(host: string): boolean {
    // A host of IPv6 has colons within brackets.
    const colon = host.lastIndexOf(":");
    const hasPort = colon > host.lastIndexOf("]");
    const sentPort = hasPort ? host.slice(colon + 1) : "";
    const sent = (hasPort ? host.slice(0, colon) : host).toLowerCase();
    if (sent !== name && sent !== `${name}.`) return false;
    // No browser sends the port of https or http. Behind a proxy it is not known which of them the browser used.
    return port === "" || sentPort === port || (sentPort === "" && /^(?:443|80)$/.test(port));
  }

  return function answerElsewhere({ url, headers }, path) {
    const { host, pathname } = new URL(url);
    // They differ where the request line is a whole URL. No browser sends that.
    const named = [host, headers.get("host") ?? host].map(isAdmin);
    // The router takes the path as it was sent, with its dots.
    const isOwn = [pathname, path].some(
      (each) => each === `/${OWN}` || each.startsWith(`/${OWN}/`),
    );
    const isHere = isOwn
      ? named.every(Boolean) || ON_EVERY_HOST.includes(path)
      : !named.some(Boolean);
    return isHere ? undefined : notFound();
  };
}
