import { compileSources } from "../../partition/compile-sources.ts";

/** Partitions by parts of a request besides the client's address: header fields, cookies, the query, subnets, networks, countries. */
export const sources = { compile: compileSources };
