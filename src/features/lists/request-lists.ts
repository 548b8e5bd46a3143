import type { Decision } from "../../decide/decision.ts";
import { listedDecision } from "../../decide/listed.ts";
import { Faults } from "../../options/faults.ts";
import { UNKNOWN_FACT } from "../../options/messages.ts";
import {
  readsAddress,
  checkClientIp,
  clientAddress,
  type ClientIp,
} from "../../partition/client-ip.ts";
import { readAddress } from "../../partition/ip-address.ts";
import { platformFacts, tellsFacts } from "../../partition/platform-facts.ts";
import type { RequestParts } from "../../partition/request-data.ts";
import type { Policy } from "../../policy/policy.ts";
import { reportOnce } from "../../runtime/log.ts";
import type { Subject } from "./compile-list.ts";
import { fieldsOf, HEADER_IDENTITIES, headerIdentities } from "./header-identities.ts";
import { compileLists, type Lists } from "./lists.ts";

/**
 * The decision about a request whose client is on a list; `undefined` for any other request.
 *
 * @param connection the address of the connection, where it is the trusted one
 * @param identity the result of a partition function
 */
export type FindListed = (
  request: RequestParts,
  connection?: string,
  identity?: string | null,
) => Decision | undefined;

/** Whether entries need facts that only the trusted source of the client's address can give. */
export function needsClientIp({ kinds }: Lists): boolean {
  return kinds.has("cidr") || kinds.has("asn") || kinds.has("country");
}

/** Adds a fault for entries that would never match, because no source gives the network or the country of a request. */
export function checkFacts({ kinds }: Lists, trusted: ClientIp, faults: Faults): void {
  if (tellsFacts(trusted)) return;
  for (const kind of ["asn", "country"] as const) {
    for (const { path, value } of kinds.get(kind) ?? []) {
      faults.add(path, value, UNKNOWN_FACT);
    }
  }
}

type IdentitiesOf = (headers: Headers, identity: string | null | undefined) => readonly string[];

/** Compiles the reading of what lists compare of a request: only the parts that entries use. */
export function compileSubject(
  { kinds }: Lists,
  trusted: ClientIp,
  identitiesOf: IdentitiesOf,
): (...request: Parameters<FindListed>) => Subject {
  const asksForIp = kinds.has("cidr");
  const asksForFacts = kinds.has("asn") || kinds.has("country");
  const asksForIdentity = kinds.has("identity");

  return function subjectOf(request, connection, identity) {
    const { headers } = request;
    const facts = asksForFacts ? platformFacts(request, trusted) : {};
    if (asksForFacts && facts.asn === undefined && facts.country === undefined) {
      reportOnce(
        "lists name networks or countries, and a request says neither: they are known on Cloudflare Workers and on Vercel only.",
      );
    }
    return {
      ...facts,
      ...(asksForIp && {
        address: readAddress(clientAddress(headers, trusted, connection)) ?? null,
      }),
      identities: asksForIdentity ? identitiesOf(headers, identity) : [],
    };
  };
}

/** Compiles the lookup of a request in lists. */
export function compileFindListed(
  lists: Lists,
  trusted: ClientIp,
  identitiesOf: IdentitiesOf,
): FindListed {
  const subjectOf = compileSubject(lists, trusted, identitiesOf);

  return function findListed(...request) {
    const found = lists.find(subjectOf(...request), Date.now());
    if (found !== "unknown") return found && listedDecision(found);
    reportOnce(
      `the list deny has addresses, and a request has none by clientIp ${JSON.stringify(trusted)}: such requests get a 403, because each may come from a denied address.`,
    );
    return listedDecision("blocked");
  };
}

/** The same lists as if no entry named addresses. */
export function besideAddresses({ kinds, ...lists }: Lists): Lists {
  return { ...lists, kinds: new Map([...kinds].filter(([kind]) => kind !== "cidr")) };
}

/** The lists of a middleware. */
interface RequestLists {
  readonly find: FindListed;
  /** The names of the header fields that they read. */
  readonly fields: readonly string[];
}

/** The options of middleware that affect its lists. */
interface ListedOptions {
  readonly lists?: unknown;
  readonly clientIp?: ClientIp | undefined;
  readonly partition?: unknown;
}

/** Checks the lists of middleware and compiles them; `undefined` if there are none. */
export function compileRequestLists(
  { lists: options, clientIp, partition = ["ip"] }: ListedOptions,
  policies: readonly Policy[],
  faults: Faults,
): RequestLists | undefined {
  const isFunction = typeof partition === "function";
  const lists = compileLists(options, "lists", faults, isFunction ? undefined : HEADER_IDENTITIES);
  if (!lists) return undefined;
  // A partition by address reports a wrong `clientIp` itself.
  const partitions = [partition, ...policies.map((policy) => Object(policy).partition as unknown)];
  const own = partitions.some(readsAddress) ? new Faults() : faults;
  const before = own.list.length;
  const trusted = needsClientIp(lists)
    ? checkClientIp(clientIp, "clientIp", own)
    : { trustedHops: 1 };
  if (own.list.length === before) checkFacts(lists, trusted, faults);
  const identitiesOf = isFunction ? returnedIdentity : headerIdentities(lists);
  return {
    find: compileFindListed(lists, trusted, identitiesOf),
    fields: isFunction ? [] : fieldsOf(lists),
  };
}

function returnedIdentity(_headers: Headers, identity?: string | null): readonly string[] {
  return identity ? [identity] : [];
}
