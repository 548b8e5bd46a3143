import type { Faults } from "../options/faults.ts";
import { DAY_OF_PRICES, OPTIONS, PRICE } from "../options/messages.ts";
import { isRecord } from "../options/record.ts";
import { checkOptions } from "../options/unknown-options.ts";

/** The prices of a model, and whether each must be given. */
const PARTS: Readonly<Record<string, boolean>> = {
  input: true,
  output: true,
  cached: false,
  cacheWrite: false,
  cacheWriteHour: false,
  audioInput: false,
  audioOutput: false,
  search: false,
  container: false,
};

const ABOVE = { tokens: true, input: true, output: true };

/** Adds a fault for each part of a table that is none of prices. It may be JSON that an operator keeps. */
export function checkPrices(table: unknown, faults: Faults): void {
  const checked = checkedRecord(table, "prices", faults);
  if (!checked) return;
  checkOptions(checked, ["date", "models"], "prices.", faults);
  const { date } = checked;
  checkDate(date, "prices.date", faults);
  const models = checkedRecord(checked["models"], "prices.models", faults) ?? {};
  for (const [name, prices] of Object.entries(models)) {
    checkModel(prices, `prices.models[${JSON.stringify(name)}]`, faults);
  }
}

function checkModel(value: unknown, path: string, faults: Faults): void {
  const prices = checkedRecord(value, path, faults);
  if (!prices) return;
  const { above, later, tiers, ...parts } = prices;
  checkNumbers(parts, PARTS, path, faults, ["above", "later", "tiers"]);
  if (later !== undefined) {
    const { from, ...factor } = checkedRecord(later, `${path}.later`, faults) ?? {};
    checkDate(from, `${path}.later.from`, faults);
    checkNumbers(factor, { factor: true }, `${path}.later`, faults, ["from"]);
  }
  if (above !== undefined) {
    const checked = checkedRecord(above, `${path}.above`, faults);
    if (checked) checkNumbers(checked, ABOVE, `${path}.above`, faults);
  }
  if (tiers === undefined) return;
  for (const [word, factor] of Object.entries(
    checkedRecord(tiers, `${path}.tiers`, faults) ?? {},
  )) {
    if (!isPrice(factor)) faults.add(`${path}.tiers.${word}`, factor, PRICE);
  }
}

function checkDate(date: unknown, path: string, faults: Faults): void {
  if (typeof date === "string" && /^\d{4}-\d\d-\d\d$/.test(date) && Date.parse(date)) return;
  faults.add(path, date, DAY_OF_PRICES);
}

function checkNumbers(
  numbers: Readonly<Record<string, unknown>>,
  known: Readonly<Record<string, boolean>>,
  path: string,
  faults: Faults,
  others: readonly string[] = [],
): void {
  checkOptions(numbers, Object.keys(known), `${path}.`, faults, [...Object.keys(known), ...others]);
  for (const [name, isRequired] of Object.entries(known)) {
    const value = Object.hasOwn(numbers, name) ? numbers[name] : undefined;
    if (value === undefined ? isRequired : !isPrice(value)) {
      faults.add(`${path}.${name}`, value, PRICE);
    }
  }
}

function checkedRecord(
  value: unknown,
  path: string,
  faults: Faults,
): Readonly<Record<string, unknown>> | undefined {
  if (isRecord(value)) return value;
  faults.add(path, value, OPTIONS);
  return undefined;
}

/** Also greater than any price, so that a product with tokens stays a number. */
const MOST = 1_000_000_000;

const isPrice = (value: unknown) => typeof value === "number" && value >= 0 && value <= MOST;
