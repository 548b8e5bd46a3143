import { given, type MadeBy, optionValue } from "../../options/option-value.ts";
import { fieldsOf, HEADER_IDENTITIES, headerIdentities } from "./header-identities.ts";
import type { ListOptions } from "./list-options.ts";
import { withLists } from "./listed-limiter.ts";
import { compileLists } from "./lists.ts";
import {
  besideAddresses,
  checkFacts,
  compileFindListed,
  compileRequestLists,
  needsClientIp,
} from "./request-lists.ts";

/** Identities that are exempt, or denied without Redis; for requests also networks and countries. */
export const listsFeature = {
  compile: compileLists,
  wrap: withLists,
  compileRequestLists,
  identities: HEADER_IDENTITIES,
  headerIdentities,
  fieldsOf,
  needsClientIp,
  checkFacts,
  compileFindListed,
  besideAddresses,
};

/**
 * Clients that are not limited (`allow`) or get a 403 (`deny`), by address, identity, network or country. They are decided without
 * Redis.
 *
 * @example
 * createLimiter({ policies, lists: lists({ allow: [{ cidr: "10.0.0.0/8" }], deny: [{ identity: "user:13" }] }) })
 */
export function lists(entries: ListOptions): MadeBy<"lists()"> {
  return optionValue("lists", { lists: given(entries) }, { lists: listsFeature });
}
