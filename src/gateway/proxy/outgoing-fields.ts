import { OVER, overLimits } from "../../adapter/over-limits.ts";
import type { Decision } from "../../decide/decision.ts";
import type { ClientIp } from "../../partition/client-ip.ts";
import type { IsImitation } from "../../partition/field-names.ts";
import { type ClientFacts, isUntrusted } from "./client-fields.ts";
import { HOP, hopFields } from "./hop-by-hop.ts";
import { imitates } from "./imitations.ts";

/** Names a field of a request in lower case. */
export type PassesOn = (name: string) => boolean;

/**
 * Names that are remembered: ordinary requests have some fifty, all shorter. A client can make up any number of names, each as
 * long as a request may be.
 */
const MOST_NAMES = 256;
const LONGEST_NAME = 64;

/**
 * Fields that the origin must not get: credentials that a platform gives to its code, or that open a protected deployment or
 * a preview; and those by which a client names another address than the limited one, also in CGI's spelling.
 */
const PRIVATE =
  /^(?:x-vercel-(?:internal-|oidc-|protection-bypass|proxy-signature|sc-|set-bypass-|trusted-oidc-)|cf-workers-preview-token$|x[-_](?:original|rewrite)[-_]url$)/;

/**
 * Compiles which fields of a client's request the origin gets, whatever its field `Connection` says. The gateway sets the others
 * itself, or the origin gets none.
 *
 * @param trusted the source that may tell the origin about clients
 */
export function compilePasses(trusted: ClientIp | undefined, isImitation: IsImitation): PassesOn {
  const known = new Map<string, boolean>();
  return (name) => {
    let passes = known.get(name);
    if (passes === undefined) {
      passes =
        !HOP.has(name) &&
        !OWN.has(name) &&
        !PRIVATE.test(name) &&
        !isUntrusted(name, trusted) &&
        !imitates(name, isImitation);
      if (known.size < MOST_NAMES && name.length <= LONGEST_NAME) known.set(name, passes);
    }
    return passes;
  };
}

/**
 * Says which fields of one request the origin gets.
 *
 * @param connection the field `Connection` of the request
 */
export function fieldsThatPass(connection: string | null, passes: PassesOn): PassesOn {
  const hop = hopFields(connection);
  // The names that are known without the field pass in no request.
  if (hop === HOP) return passes;
  return (name) => passes(name) && !hop.has(name);
}

/** Fields that mean something only before a body, or by which a client asks for another method. */
const BEFORE_BODY = /^(?:content-|authorization$|cookie$|x-(?:http-)?method(?:-override)?$)/;

/**
 * Says which fields after the body of a request the origin gets. It may take them for fields of the request, and the rules have not
 * seen them.
 *
 * @param passes what `fieldsThatPass()` says
 * @param isRead whether the rules in force read a field, in any spelling of its name
 */
export function trailersThatPass(passes: PassesOn, isRead: (name: string) => boolean): PassesOn {
  return (name) => passes(name) && !isRead(name) && !BEFORE_BODY.test(name);
}

/** Fields that the origin gets from the gateway alone; `Host` is the origin's own. */
const OWN: ReadonlySet<string> = new Set([
  "host",
  OVER,
  "x-forwarded-for",
  "x-forwarded-host",
  "x-forwarded-proto",
]);

/**
 * The fields that the gateway adds to a request.
 *
 * @param decision `undefined` if no rule covers the request
 */
export function ownFields(
  { for: addresses, host, proto }: ClientFacts,
  decision: Decision | undefined,
): readonly (readonly [name: string, value: string])[] {
  const over = decision ? overLimits(decision) : "";
  const fields: [string, string][] = [
    ["X-Forwarded-Host", host],
    ["X-Forwarded-Proto", proto],
  ];
  if (addresses !== undefined) fields.unshift(["X-Forwarded-For", addresses]);
  if (over !== "") fields.push(["Tidegate-Over", over]);
  return fields;
}
