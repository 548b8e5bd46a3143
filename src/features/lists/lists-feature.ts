import { fieldsOf, HEADER_IDENTITIES, headerIdentities } from "./header-identities.ts";
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
export const lists = {
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
