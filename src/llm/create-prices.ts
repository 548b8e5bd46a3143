import { Faults } from "../options/faults.ts";
import { CHOICE, UNKNOWN_MODEL, UNKNOWN_TIER, UNPRICED_PART } from "../options/messages.ts";
import { checkedOptions, nearest } from "../options/unknown-options.ts";
import { reportOnce } from "../runtime/log.ts";
import { checkPrices } from "./check-prices.ts";
import { estimateParts, type SupposedTokens } from "./estimate-parts.ts";
import { mostUsage } from "./most-usage.ts";
import { type ModelPrices, type PriceTable, PRICES } from "./price-table.ts";
import { type PricedUsage, priceUsage } from "./price-usage.ts";
import { RequestError } from "./request-error.ts";

/** The options of `createPrices()`. */
export interface PricesOptions {
  /** The prices of models, also as JSON that you keep. Default: `PRICES`, the list prices of a day. */
  readonly prices?: PriceTable;
  /**
   * The answer to a model, a tier or a search without a price. `"reject"`: an error, so that the request is not sent, or its hold
   * keeps the estimate. `"notice"`: it is logged once, and costs as much as the dearest model of the table; for budgets in the mode
   * `"shadow"`. Default: `"reject"`.
   */
  readonly onUnknown?: "reject" | "notice";
}

/** Prices requests and usages in micro-dollars, millionths of a dollar. */
export interface Prices {
  /**
   * Returns a function that prices a usage, rounded up: for `cost` of `hold.stream()` and `limitModel()`. If the response names other
   * models, such as one that has advised, all tokens cost as much as those of the dearest.
   *
   * @param model the model that you ask
   * @throws RequestError if it has no price
   */
  price(model: string): (usage: PricedUsage) => number;
  /**
   * The most that a request is estimated to cost, before it is sent.
   *
   * @param model the model that you ask
   * @param body the request that you send, as parsed JSON
   * @param supposed tokens that the request does not tell
   * @throws RequestError if the model or its tier has no price, or a maximum of the body is no positive integer
   */
  estimate(model: string, body: unknown, supposed?: SupposedTokens): number;
}

/** What has a price for each, and the name of it in a table. */
const FEES = [
  ["searches", "search"],
  ["containers", "container"],
] as const;

/** Words that say that a request was served at the usual price. A cheaper tier beside one of them was asked for, and not given. */
const USUAL = new Set(["default", "standard", "on_demand"]);

/** Words that decide no price. */
const WITHOUT_PRICE = new Set(["auto", "standard_only", "not_available", "global", "unspecified"]);

/** The makers whose list prices routers bill, and name before a model. Clouds, such as `azure/`, have prices of their own. */
const MAKER = /^(?:models|openai|anthropic|google)\//;

/** The date, or the word, that a provider puts behind the name of a model for one of its versions. */
const VERSION = /-(?:\d{4}-\d\d-\d\d|\d{8}|latest)$/;

/**
 * Prices what models of language take, from a table.
 *
 * @throws ConfigurationError for options or prices that are wrong, all at once
 * @example
 * const { price, estimate } = createPrices();
 * const hold = await limiter.reserve(customer, { cost: estimate("gpt-5-mini", body) });
 * return hold.stream(await fetch(request), { usage, cost: price("gpt-5-mini") });
 */
export function createPrices(options: PricesOptions = {}): Prices {
  const { models, onUnknown } = checked(options);

  function known(name: string): ModelPrices | undefined {
    const short = name.replace(MAKER, "");
    // Routers write versions of Claude with a dot.
    const spelt = short.startsWith("claude-") ? short.replaceAll(".", "-") : short;
    return [name, spelt, spelt.replace(VERSION, "")]
      .filter((each) => Object.hasOwn(models, each))
      .map((each) => models[each]!)[0];
  }

  /** The cost of a usage at a model; `undefined` if a part of it has no price. */
  function costAt(name: string, usage: PricedUsage, faults: Faults): number | undefined {
    const prices = known(name);
    if (!prices) {
      faults.add("model", name, UNKNOWN_MODEL, meantBy(name, Object.keys(models)));
      return undefined;
    }
    const words = (usage.tiers ?? []).map((word) => word.toLowerCase());
    const least = words.some((word) => USUAL.has(word)) ? 1 : 0;
    const factors = words.map((word) => {
      if (USUAL.has(word) || WITHOUT_PRICE.has(word)) return 1;
      return Object.hasOwn(prices.tiers ?? {}, word) ? Math.max(least, prices.tiers![word]!) : NaN;
    });
    const unknown = factors.findIndex(Number.isNaN);
    if (unknown !== -1) faults.add("tier", words[unknown], UNKNOWN_TIER, name);
    for (const [part, price] of FEES) {
      if (usage[part] && prices[price] === undefined) {
        faults.add(part, usage[part], UNPRICED_PART, { model: name, price });
      }
    }
    const factor = factors.reduce((product, each) => product * each, 1);
    return faults.list.length > 0 ? undefined : priceUsage(usage, prices, factor);
  }

  function dearest(usage: PricedUsage): number {
    const all = Object.values(models).map((prices) => {
      const factor = Math.max(1, ...Object.values(prices.tiers ?? {}));
      return priceUsage(usage, prices, factor);
    });
    return Math.max(0, ...all);
  }

  function cost(names: readonly string[], usage: PricedUsage): number {
    const faults = new Faults();
    const costs = names.map((name) => costAt(name, usage, faults));
    const { costMicroDollars: told = 0 } = usage;
    if (faults.list.length === 0) return Math.max(told, ...costs.map((each) => each!));
    if (onUnknown === "reject") throw new RequestError(faults.list);
    for (const { path, value, remedy } of faults.list) reportOnce(`${path}: ${value}: ${remedy}`);
    return Math.max(told, dearest(usage));
  }

  return {
    price(model) {
      cost([model], { inputTokens: 0, outputTokens: 0 });
      return (usage) => cost([model, ...(usage.models ?? [])], usage);
    },
    estimate(model, body, supposed = {}) {
      const parts = estimateParts(body, supposed, Number.MAX_SAFE_INTEGER);
      return cost([model], mostUsage(body, parts, known(model)));
    },
  };
}

/** All digits of a name. */
const numberOf = (name: string) => name.replaceAll(/\D/g, "");

/** The known model that a name is a slip of. One with another number is another model, with another price. */
function meantBy(name: string, known: readonly string[]): string | undefined {
  const short = name.slice(name.lastIndexOf("/") + 1);
  return nearest(
    short,
    known.filter((each) => numberOf(each) === numberOf(short)),
  );
}

function checked(value: PricesOptions) {
  const faults = new Faults();
  const options = checkedOptions(value, ["prices", "onUnknown"], faults);
  const { prices = PRICES, onUnknown = "reject" } = options;
  checkPrices(prices, faults);
  if (onUnknown !== "reject" && onUnknown !== "notice") {
    faults.add("onUnknown", onUnknown, CHOICE, ["reject", "notice"]);
  }
  faults.throwIfAny();
  return { models: prices.models, onUnknown };
}
