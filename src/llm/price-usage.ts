import type { ModelPrices } from "./price-table.ts";
import type { Usage } from "./usage.ts";

/** The numbers of a usage that have a price. */
export type PricedUsage = Pick<Usage, "inputTokens" | "outputTokens"> &
  Partial<Omit<Usage, "totalTokens" | "complete">>;

/** Prices are exact to a millionth of a micro-dollar. */
const FRACTIONS = 1_000_000;

/**
 * The micro-dollars that a usage costs, rounded up. Where parts of it may overlap, such as audio that was cached, the dearer reading
 * counts.
 *
 * @param factor that of the tier
 */
export function priceUsage(usage: PricedUsage, prices: ModelPrices, factor: number): number {
  const { inputTokens, outputTokens, searches = 0, containers = 0 } = usage;
  const { input, output, above, later } = prices;
  const isLater = later !== undefined && Date.now() >= Date.parse(later.from);
  const all = factor * (isLater ? later.factor : 1);
  const isLong = above !== undefined && inputTokens > above.tokens;
  const inputFactor = all * (isLong ? above.input : 1);
  const outputFactor = all * (isLong ? above.output : 1);

  const audio = Math.min(usage.audioInputTokens ?? 0, inputTokens);
  const written = Math.min(usage.cacheWriteTokens ?? 0, inputTokens - audio);
  const hour = Math.min(usage.cacheWriteHourTokens ?? 0, written);
  const cached = Math.min(usage.cachedTokens ?? 0, inputTokens - audio - written);
  const said = Math.min(usage.audioOutputTokens ?? 0, outputTokens);
  const { cacheWrite = input } = prices;
  const parts = [
    [inputTokens - audio - written - cached, input, inputFactor],
    [audio, prices.audioInput ?? input, inputFactor],
    [written - hour, cacheWrite, inputFactor],
    [hour, prices.cacheWriteHour ?? cacheWrite, inputFactor],
    [cached, prices.cached ?? input, inputFactor],
    [outputTokens - said, output, outputFactor],
    [said, prices.audioOutput ?? output, outputFactor],
    [searches, prices.search ?? 0, 1],
    [containers, prices.container ?? 0, 1],
  ] as const;
  // Sums of fractions such as 0.025 are not exact, and the sum may exceed 2^53.
  const exact = parts.reduce(
    (sum, [units, price, by]) => sum + BigInt(units) * BigInt(Math.round(price * by * FRACTIONS)),
    0n,
  );
  const whole = (exact + BigInt(FRACTIONS - 1)) / BigInt(FRACTIONS);
  return whole > BigInt(Number.MAX_SAFE_INTEGER) ? Number.MAX_SAFE_INTEGER : Number(whole);
}
