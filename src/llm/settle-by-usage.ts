import type { Cost } from "../decide/limiter-types.ts";
import { Faults } from "../options/faults.ts";
import { FUNCTION, WAIT_UNTIL } from "../options/messages.ts";
import { checkedOptions } from "../options/unknown-options.ts";
import { reportOnce } from "../runtime/log.ts";
import { readUsage } from "./read-usage.ts";
import type { Usage } from "./usage.ts";

/** The parts of a hold that are used, which the result of `reserve()` has. */
export interface Settles {
  /** The hold's reserved units of refundable policies, by policy. */
  readonly reserved: Readonly<Record<string, number>>;
  /** The hold's units of every policy, by policy. Default: `reserved`. */
  readonly taken?: Readonly<Record<string, number>>;
  /** Ends the hold at its actual cost; without a cost, at its reservation. */
  settle(cost?: Cost): Promise<unknown>;
  /** Ends the hold and gives everything back. */
  release(): Promise<unknown>;
}

/** The options of `usage()`. */
export interface SettleOptions {
  /**
   * The cost of the response, such as `({ totalTokens, cachedTokens = 0 }) => ({ tokens: totalTokens - cachedTokens })`: whole
   * numbers. If a part of the usage is unknown (`complete` is `false`), it counts only where it is more than the reserved cost.
   * Default: `usage.totalTokens`, for every `refundable` policy; if no policy is refundable, for every policy.
   */
  readonly cost?: (usage: Usage) => Cost;
  /**
   * Keeps the isolate alive until the hold has ended, which is after the response: on Workers
   * `(promise) => ctx.waitUntil(promise)`. It is called once, before the response is returned. Default: none.
   */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
}

/**
 * Ends a hold by what a language model's response really took, when its body has ended, was cancelled or failed: of the
 * providers that `readUsage()` reads. Returns the response to send instead: the same status, header fields and bytes.
 *
 * If the response does not tell all of its usage, because it broke off, or a number is missing or cannot be read, the hold ends at
 * what it has reserved, or at what it told if that is more: a client that hangs up early must not pay less. A status from 400
 * gives everything back.
 *
 * @throws ConfigurationError for an option that is unknown or no function
 * @throws TypeError if the body is already being read
 * @example
 * const answer = await fetch("https://api.anthropic.com/v1/messages", request);
 * return hold.stream(answer, { usage, waitUntil: (promise) => ctx.waitUntil(promise) });
 */
export function settleByUsage(
  hold: Settles,
  response: Response,
  options: SettleOptions = {},
): Response {
  const { cost = ({ totalTokens }) => totalOf(totalTokens, hold), waitUntil } = checked(options);
  if (response.status >= 400) {
    const released = end(() => hold.release());
    waitUntil?.(released);
    return response;
  }
  let settle: (usage: Usage | undefined) => void;
  const told = new Promise<Usage | undefined>((resolve) => {
    settle = resolve;
  });
  const read = readUsage(response, (usage) => settle(usage));
  const settled = told.then((usage) => end(() => settleAt(hold, costOf(usage, cost, hold))));
  waitUntil?.(settled);
  return read;
}

function checked(value: SettleOptions): SettleOptions {
  const faults = new Faults();
  const options = checkedOptions(value, ["cost", "waitUntil"], faults);
  const { cost, waitUntil } = options;
  if (cost !== undefined && typeof cost !== "function") {
    faults.add("cost", cost, FUNCTION, "takes a usage and returns a cost");
  }
  if (waitUntil !== undefined && typeof waitUntil !== "function") {
    faults.add("waitUntil", waitUntil, WAIT_UNTIL);
  }
  faults.throwIfAny();
  return options;
}

export function totalOf(tokens: number, { reserved }: Settles): Cost {
  const names = Object.keys(reserved);
  return names.length > 0 ? Object.fromEntries(names.map((name) => [name, tokens])) : tokens;
}

/** `undefined` to keep the reservation. */
export function costOf(
  usage: Usage | undefined,
  cost: (usage: Usage) => Cost,
  { reserved, taken = reserved }: Settles,
): Cost | undefined {
  if (!usage) return undefined;
  try {
    const told = safeCost(cost(usage));
    if (usage.complete) return told;
    const toldOf = (name: string) =>
      typeof told === "number" ? told : Object.hasOwn(told, name) ? (told[name] ?? 0) : 0;
    const most = Object.entries(taken).map(([name, least]) => [
      name,
      Math.max(least, toldOf(name)),
    ]);
    return Object.fromEntries(most) as Cost;
  } catch (error) {
    reportOnce(`the cost of a usage failed, so the hold keeps its estimate: ${String(error)}`);
    return undefined;
  }
}

/** A greater cost would be refused, so that the hold kept its reservation. */
const safe = (units: number) => (units > Number.MAX_SAFE_INTEGER ? Number.MAX_SAFE_INTEGER : units);

function safeCost(cost: Cost): Cost {
  if (typeof cost === "number") return safe(cost);
  return Object.fromEntries(Object.entries(cost).map(([name, units]) => [name, safe(units)]));
}

/** A cost that is refused must not leave the hold open, whose slots would stay for their whole time. */
export async function settleAt(hold: Settles, cost: Cost | undefined): Promise<void> {
  try {
    await hold.settle(cost);
  } catch (error) {
    if (cost !== undefined) await hold.settle();
    throw error;
  }
}

/** No caller waits for the end of a hold, so a failure is logged. */
export async function end(hold: () => Promise<unknown>): Promise<void> {
  try {
    await hold();
  } catch (error) {
    reportOnce(`a hold could not be ended: ${String(error)}`);
  }
}
