import { lists as ofLimiter } from "./of-limiter.ts";
import { compileRequestLists } from "./request-lists.ts";

/** Identities that are exempt, or denied without Redis; for requests also networks and countries. */
export const lists = { ...ofLimiter, compileRequestLists };
