import type { Hold } from "../../decide/hold.ts";
import type { Identity } from "../../decide/identify.ts";
import type { Operations, Reserve } from "../../decide/limiter.ts";
import type { Decision } from "../../decision/decision.ts";
import { listedDecision } from "../../decision/listed.ts";
import type { Subject } from "../../lists/compile-list.ts";
import type { Lists } from "../../lists/lists.ts";

/**
 * A limiter that first looks an identity up in lists: `limit()`, `reserve()` and `peek()` of a listed identity take no
 * units and send no call. A charge and a reset are not requests, so no list refuses them.
 *
 * @param nowMs the clock for the expiry of entries, in milliseconds since 1970
 * @param withoutHold turns a decision that took no units into a hold, for a limiter that reserves
 */
export function withLists<Given extends Operations & Partial<Reserve>>(
  limiter: Given,
  lists: Lists,
  nowMs: () => number,
  withoutHold: ((decision: Decision) => Hold) | undefined,
): Given {
  const { reserve } = limiter;

  function listDecision(identity: Identity): Decision | undefined {
    const found = lists.find(subjectOf(identity), nowMs());
    return found && listedDecision(found);
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
function subjectOf(identity: Identity): Subject {
  if (typeof identity === "string") return { ip: identity, identities: [identity] };
  const { ip, asn, country, ...others } = Object(identity) as Exclude<Identity, string>;
  const identities = [ip, asn, country, ...Object.values(others)].filter(
    (text) => text !== undefined,
  );
  return { ip, asn, country, identities };
}
