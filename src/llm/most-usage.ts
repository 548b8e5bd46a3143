import { isRecord } from "../options/record.ts";
import type { EstimatedParts } from "./estimate-parts.ts";
import type { ModelPrices } from "./price-table.ts";
import type { PricedUsage } from "./price-usage.ts";

/** Members of a request that ask for a tier of service. */
const TIERS = ["service_tier", "serviceTier", "speed", "inference_geo"];

/** The request asks the model to write to a cache. */
const CACHE_MARK = /"(?:cache_control|cachePoint)"/;
/** The cache is to be kept for an hour, which costs more. */
const HOUR_MARK = /"ttl":"1h"/;

/** Searches of a request that says no `max_uses`. */
const SEARCHES = 10;

/** Tools of providers that search the web, maps and files. A search for tools costs nothing. */
const SEARCH = /^(?!tool_).*(?:search|maps)/i;
const CONTAINER = /^code_interpreter/;

/** The dearest usage that a request of so many tokens is expected to have. */
export function mostUsage(
  body: unknown,
  parts: EstimatedParts,
  prices: ModelPrices | undefined,
): PricedUsage {
  if (!isRecord(body)) return parts;
  const text = JSON.stringify([
    body["cache_control"],
    body["system"],
    body["messages"],
    body["tools"],
  ]);
  // A model without a price of an hour writes to its cache by itself.
  const isWritten = prices?.cacheWriteHour === undefined || CACHE_MARK.test(text);
  const isForHour = CACHE_MARK.test(text) && HOUR_MARK.test(text);
  const tiers = TIERS.map((name) => body[name]).filter((word) => typeof word === "string");
  const asked = body["web_search_options"] === undefined ? 0 : 1;
  const searches = usesOf(body["tools"], SEARCH, SEARCHES) + asked;
  const containers = usesOf(body["tools"], CONTAINER, 1);
  return {
    ...parts,
    ...(isWritten && { cacheWriteTokens: parts.inputTokens }),
    ...(isForHour && { cacheWriteHourTokens: parts.inputTokens }),
    ...(tiers.length > 0 && { tiers }),
    ...(searches > 0 && { searches }),
    ...(containers > 0 && { containers }),
  };
}

/** The most calls of the tools whose type, or whose one member, has a name like this. */
function usesOf(tools: unknown, name: RegExp, most: number): number {
  if (!Array.isArray(tools)) return 0;
  return tools.filter(isRecord).reduce((sum, { max_uses, ...tool }) => {
    const isMeant = [tool["type"], ...Object.keys(tool)].some((each) => name.test(String(each)));
    const uses = Number.isInteger(max_uses) ? Math.max(0, Number(max_uses)) : most;
    return sum + (isMeant ? uses : 0);
  }, 0);
}
