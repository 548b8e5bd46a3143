import { SHARED_IDENTITY } from "../../adapter/partitions.ts";
import { EVERYBODY } from "../../partition/key-text.ts";
import type { RequestData } from "../../partition/request-data.ts";
import { stableHash } from "../../runtime/stable-hash.ts";
import type { Trial, TrialCounts } from "../../store/control/trial.ts";
import type { RouteRequest } from "../route/route.ts";
import type { InForce, Sides } from "./in-force.ts";

/** Decisions of this isolate that the control store has not counted yet. */
export type Tally = { readonly version: number } & {
  readonly [Side in keyof TrialCounts]: { decided: number; denied: number };
};

export function newTally(version: number): Tally {
  return { version, tried: { decided: 0, denied: 0 }, others: { decided: 0, denied: 0 } };
}

/**
 * Puts each client on one side by a hash of its identity. With a higher percentage, clients only change to the tried version. Those
 * on a list have a side, too: the lists of both versions may differ.
 */
export function compileSides(
  published: InForce,
  tried: InForce,
  trial: Trial,
  tally: Tally,
): Sides {
  const routes = [published.routeUnlisted(), tried.routeUnlisted()] as const;
  const others = { ...published, count: counterOf(tally.others) };
  const some = { ...tried, count: counterOf(tally.tried) };

  function ofIdentity(identity: string | undefined): InForce {
    if (identity === undefined) return published;
    return placeOf(identity, published.version) < trial.percent ? some : others;
  }

  return {
    trial,
    ofIdentity,

    async of(request, connection) {
      // Hashing an identity is most of what reading a client costs.
      const known = new Map();
      const identity =
        (await identityBy(routes[0], request, connection, known)) ??
        (await identityBy(routes[1], request, connection, known));
      const side = ofIdentity(identity);
      return { ...side, route: (asked, from) => side.route(asked, from, known) };
    },
  };
}

function counterOf(counts: Tally["tried"]): (isDenied: boolean) => void {
  return (isDenied) => {
    counts.decided++;
    if (isDenied) counts.denied++;
  };
}

/** From 0 to 100. The published version seeds the hash, so that each trial over it takes the same clients first. */
function placeOf(identity: string, version: number): number {
  return (stableHash(`${version} ${identity}`) / 2 ** 32) * 100;
}

async function identityBy(
  route: RouteRequest,
  request: Request,
  connection: string | undefined,
  known: RequestData["known"],
): Promise<string | undefined> {
  // The decision of the request meets the same failure, and answers it.
  const routed = await route(request, connection, known).catch(() => undefined);
  return routed?.kind === "client" ? ownIdentity(routed.identities) : undefined;
}

/** The first identity that a client shares with nobody. */
export function ownIdentity(identities: Readonly<Record<string, string>>): string | undefined {
  return Object.entries(identities).find(
    ([by, identity]) => !by.endsWith(EVERYBODY) && identity !== SHARED_IDENTITY,
  )?.[1];
}
