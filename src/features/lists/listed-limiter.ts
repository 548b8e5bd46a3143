import type { Decision } from "../../decide/decision.ts";
import type { Hold, Reserve } from "../../decide/hold.ts";
import type { Identity, Limiter } from "../../decide/limiter-types.ts";
import { listedDecision } from "../../decide/listed.ts";
import { UNKNOWN_ADDRESS } from "../../partition/client-key.ts";
import { type Address, readAddress } from "../../partition/ip-address.ts";
import type { Subject } from "./compile-list.ts";
import type { Lists } from "./lists.ts";

/**
 * A limiter that first looks an identity up in lists: `limit()`, `reserve()` and `peek()` of a listed identity take no
 * units and send no call. A charge and a reset are not requests, so no list refuses them.
 *
 * @param nowMs the clock for the expiry of entries, in milliseconds since 1970
 * @param withoutHold turns a decision that took no units into a hold, for a limiter that reserves
 */
export function withLists<Given extends Limiter & Partial<Reserve>>(
  limiter: Given,
  lists: Lists,
  nowMs: () => number,
  withoutHold: ((decision: Decision) => Hold) | undefined,
): Given {
  const { reserve } = limiter;

  const asksForAddress = lists.kinds.has("cidr");

  function listDecision(identity: Identity): Decision | undefined {
    const found = lists.find(subjectOf(identity, asksForAddress), nowMs());
    return found && listedDecision(found === "exempt" ? found : "blocked");
  }

  return {
    ...limiter,
    limit: async (identity, options) => listDecision(identity) ?? limiter.limit(identity, options),
    ...(reserve &&
      withoutHold && {
        reserve: async (identity, options) => {
          const decision = listDecision(identity);
          return decision ? withoutHold(decision) : reserve(identity, options);
        },
      }),
    peek: async (identity, options) => listDecision(identity) ?? limiter.peek(identity, options),
  };
}

/** The list subject of an identity: a text may be an address, and dimensions are found by their names. */
function subjectOf(identity: Identity, asksForAddress: boolean): Subject {
  if (typeof identity === "string") {
    const unknown = identity === UNKNOWN_ADDRESS ? null : undefined;
    const address = asksForAddress ? (addressIn(identity) ?? unknown) : undefined;
    return { address, identities: [identity] };
  }
  const { ip, asn, country, ...others } = Object(identity) as Exclude<Identity, string>;
  const identities = [ip, asn, country, ...Object.values(others)].filter(
    (text) => text !== undefined,
  );
  const named = Object.hasOwn(Object(identity) as object, "ip");
  const address = asksForAddress && named ? (addressIn(ip) ?? null) : undefined;
  return { address, asn, country, identities };
}

/** An address, or the /64 that `clientKey()` makes of one of IPv6, by its first address. */
function addressIn(text: unknown): Address | undefined {
  return readAddress(typeof text === "string" ? text.replace(/::\/64$/, "::") : text);
}
