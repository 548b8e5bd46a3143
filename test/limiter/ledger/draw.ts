import {
  BAN_US,
  type Counting,
  HOUR_US,
  type LedgerPolicy,
  type Numbers,
  WINDOW_US,
} from "./policies.ts";

/* The random choices of a story, from its seed: its policies, its isolates, and the failures of its masters. */

export interface Dice {
  /** From 0 to below 1. */
  roll(): number;
  /** Whether something of this probability happens. */
  chance(share: number): boolean;
  /** A whole number, both ends included. */
  int(from: number, to: number): number;
  among<Item>(items: readonly Item[]): Item;
}

export function dice(roll: () => number): Dice {
  const int = (from: number, to: number) => from + Math.floor(roll() * (to - from + 1));
  return {
    roll,
    int,
    chance: (share) => roll() < share,
    among: (items) => items[int(0, items.length - 1)]!,
  };
}

/** Names of policies: some are those of properties that every object has. */
const NAMES = ["constructor", "valueOf", "tokens", "calls"];
const DIMENSIONS = ["a", "b", "c", "*"];
export const PLANS = [undefined, undefined, "small", "large"];
export type Client = Readonly<Record<"a" | "b" | "c", string>>;

export interface Setting {
  readonly policies: readonly LedgerPolicy[];
  readonly clients: readonly Client[];
  readonly isolates: readonly {
    /** A limiter with the same names whose policies give nothing back. */
    readonly isPlain: boolean;
    readonly denialCache: boolean;
  }[];
  /** Whether the guard with its breaker is between the limiter and the wire. */
  readonly isGuarded: boolean;
  /** Whether calls are either answered or surely not sent. */
  readonly isCalm: boolean;
}

/** The emphasis of a story. */
const THEMES = ["anything", "slots", "shards", "bans"] as const;
type Theme = (typeof THEMES)[number];

export function drawSetting(dice: Dice): Setting {
  const { chance, int, among } = dice;
  const theme = among(THEMES);
  const dimensions = chance(0.4) ? [among(DIMENSIONS)] : DIMENSIONS;
  const first = int(0, 3);
  const policies = Array.from({ length: int(1, 4) }, (_, i) =>
    drawPolicy(dice, theme, NAMES[(first + i) % NAMES.length]!, among(dimensions), i),
  );
  const client = () => ({ a: `a${int(0, 1)}`, b: `b${int(0, 1)}`, c: `c${int(0, 1)}` });
  return {
    policies,
    clients: [client(), client(), client()],
    isolates: Array.from({ length: int(1, 3) }, (_, i) => ({
      isPlain: i > 0 && chance(0.25) && !policies.some((each) => each.algorithm === "concurrency"),
      denialCache: chance(0.85),
    })),
    isGuarded: chance(0.2),
    isCalm: chance(theme === "bans" ? 0.6 : 0.2),
  };
}

const ALGORITHMS = [
  "fixed-window",
  "fixed-window",
  "unaligned-window",
  "calendar-window",
  "sliding-window-log",
  "segmented-window",
  "sliding-window-counter",
  "token-bucket",
  "token-bucket",
] as const satisfies Counting[];
const ON_FAILURE = ["local", "local", "local", "open", "closed"] as const;

function drawPolicy(
  dice: Dice,
  theme: Theme,
  name: string,
  by: string,
  index: number,
): LedgerPolicy {
  const { chance, int, among } = dice;
  // One policy at least is enforced and counts requests.
  const mode = index > 0 && chance(0.2) ? among(["shadow", "soft"] as const) : "enforce";
  const isEnforced = mode === "enforce";
  const isBan = index > 0 && isEnforced && chance(theme === "bans" ? 0.5 : 0.1);
  const isSharded = !isBan && chance(theme === "shards" ? 0.6 : 0.15);
  const hasSlots = isEnforced && !isBan && !isSharded && chance(theme === "slots" ? 0.5 : 0.15);
  const algorithm = hasSlots ? "concurrency" : isBan ? "fixed-window" : among(ALGORITHMS);
  const countsFailures = isEnforced && !isBan && !hasSlots && index > 0 && chance(0.2);
  const counts = isBan ? "denials" : countsFailures ? "failures" : "requests";
  const shards = isSharded ? int(2, 4) : 1;
  return {
    name,
    by,
    algorithm,
    counts,
    mode,
    shards,
    // Denials of a refundable policy are not cached, and bans count known denials, too.
    refundable: !isBan && !hasSlots && chance(theme === "bans" ? 0.2 : 0.65),
    windowUs: isBan ? BAN_US : algorithm === "calendar-window" ? HOUR_US : WINDOW_US,
    onFailure: chance(0.35)
      ? { local: { share: among([0.01, 0.1, 0.3, 0.34, 0.5]) } }
      : among(ON_FAILURE),
    under: isBan ? ban(among([3, 60, 60])) : drawNumbers(dice, algorithm, shards),
  };
}

function ban(limit: number): LedgerPolicy["under"] {
  const numbers = { limit, refill: 0 };
  return { none: numbers, small: numbers, large: numbers };
}

function drawNumbers(
  { int, among, chance }: Dice,
  algorithm: LedgerPolicy["algorithm"],
  shards: number,
): LedgerPolicy["under"] {
  const hasSlots = algorithm === "concurrency";
  const limit = hasSlots ? int(1, 4) : int(2 * shards + 2, 24);
  const isBucket = algorithm === "token-bucket";
  const refill = isBucket ? among([6, 12, 20, 30]) : 0;
  const numbers = (units: number, other: boolean): Numbers => ({
    limit: units,
    refill: other && isBucket ? among([6, 30, 60]) : refill,
  });
  const isOneRate = chance(0.75);
  return {
    none: numbers(limit, false),
    small: numbers(Math.max(shards, Math.floor(limit / 5), 1), !isOneRate),
    large: numbers(limit * int(2, 4), !isOneRate),
  };
}
