import type { IncomingMessage } from "node:http";

import { BridgeError } from "./errors.ts";

export type RefuseCrossSite = (request: IncomingMessage) => void;

/** Addresses of this machine, and the names that every browser resolves to them. */
const LOOPBACK = /^(?:127(?:\.\d{1,3}){3}|\[::1\]|(?:[a-z0-9-]+\.)*localhost)$/;

/**
 * Refuses requests that a browser sends for a page of another site. A site can also point a name of its own at this machine
 * (DNS rebinding): then the browser takes the bridge for that site, and only the Host field gives it away.
 */
export function crossSiteGuard(allowedHosts: readonly string[]): RefuseCrossSite {
  const allowed = new Set(allowedHosts.map((host) => host.toLowerCase()));
  return ({ headers }) => {
    const { host = "", origin } = headers;
    const name = host.toLowerCase().replace(/:\d+$/, "");
    if (!LOOPBACK.test(name) && !allowed.has(name)) {
      throw new BridgeError(
        403,
        "ERR this bridge serves loopback, and hosts given by --allow-host",
      );
    }
    const site = headers["sec-fetch-site"] ?? "none";
    const foreign = origin !== undefined && origin !== `http://${host}`;
    if (foreign || (site !== "same-origin" && site !== "none")) {
      throw new BridgeError(403, "ERR this bridge serves no requests of other sites' pages");
    }
  };
}
