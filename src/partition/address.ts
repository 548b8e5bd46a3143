import { type ClientIp, clientIp } from "./client-ip.ts";
import type { RequestData } from "./request-data.ts";

/** Whether one of the sources needs the trusted source of the client's address. */
export function readsAddress(sources: unknown): boolean {
  const each: readonly unknown[] = Array.isArray(sources) ? sources.flat() : [];
  return each.some((source) => source === "ip" || source === "subnet");
}

/** Reads the client's address as an identity. */
export function addressReader(trusted: ClientIp): (data: RequestData) => string | undefined {
  return ({ request, connection }) => {
    const ip = clientIp(request.headers, trusted, connection);
    return ip === undefined ? undefined : `ip:${ip}`;
  };
}
