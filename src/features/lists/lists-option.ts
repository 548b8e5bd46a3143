import { given, optionValue, type MadeBy } from "../../options/option-value.ts";
import type { ListOptions } from "./list-options.ts";
import { lists as feature } from "./lists-feature.ts";

/**
 * Clients that are not limited (`allow`) or get a 403 (`deny`), by address, identity, network or country. They are decided without
 * Redis.
 *
 * @example
 * createLimiter({ policies, lists: lists({ allow: [{ cidr: "10.0.0.0/8" }], deny: [{ identity: "user:13" }] }) })
 */
export function lists(entries: ListOptions): MadeBy<"lists()"> {
  return optionValue("lists", { lists: given(entries) }, { lists: feature });
}
