/**
 * Prices of language models: `import { createPrices } from "tidegate/prices"`. It prices requests and usages in micro-dollars, from
 * the list prices of a day or a table of yours.
 *
 * @module
 */

export type { SupposedTokens } from "./llm/estimate-parts.ts";
export { createPrices, type Prices, type PricesOptions } from "./llm/create-prices.ts";
export { type ModelPrices, type PriceTable, PRICES } from "./llm/price-table.ts";
export type { PricedUsage } from "./llm/price-usage.ts";
