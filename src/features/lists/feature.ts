import { lists as ofLimiter } from "./of-limiter.ts";
import { compileRequestLists } from "./request-lists.ts";

/** Identities that are not limited, or denied without Redis; of requests also networks and countries. */
export const lists = { ...ofLimiter, compileRequestLists };
