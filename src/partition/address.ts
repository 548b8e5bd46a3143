import { WITHOUT_FEATURE } from "../options/messages.ts";
import { checkClientIp, type ClientIp, clientIp } from "./client-ip.ts";
import { EVERYBODY } from "./partition-key.ts";
import type { RequestData } from "./request-data.ts";
import type { CompileSources } from "./source.ts";

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

/** Compiles the sources that need no feature: the client's address alone, or all clients together. */
export const compileAddress: CompileSources = (sources, { clientIp }, path, faults) => {
  if (sources === EVERYBODY) return () => EVERYBODY;
  if (isAddress(sources)) return addressReader(checkClientIp(clientIp, "clientIp", faults));
  faults.add(path, sources, WITHOUT_FEATURE, "sources");
  return () => undefined;
};

function isAddress(sources: unknown): boolean {
  return Array.isArray(sources) && sources.length === 1 && sources[0] === "ip";
}
