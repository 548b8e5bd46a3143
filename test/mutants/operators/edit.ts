/** The kind of a mutation. */
export type Operator =
  | "condition"
  | "logic"
  | "bound"
  | "equality"
  | "arithmetic"
  | "unit"
  | "off by one"
  | "boolean"
  | "extreme"
  | "dropped call"
  | "swapped arguments";

/** One small change of a text: the part from `start` to `end` makes way for `text`. */
export interface Edit {
  readonly operator: Operator;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Where a part of a program stands in its text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** The operators between two operands that each language writes alike, and the replacement of each. */
export const BINARY: Readonly<Record<string, readonly [Operator, string]>> = {
  "<": ["bound", "<="],
  "<=": ["bound", "<"],
  ">": ["bound", ">="],
  ">=": ["bound", ">"],
  "+": ["arithmetic", "-"],
  "-": ["arithmetic", "+"],
  "*": ["arithmetic", "/"],
  "/": ["arithmetic", "*"],
  "%": ["arithmetic", "*"],
};

/** Exchanges the operator that stands between two operands. */
export function exchange(
  source: string,
  left: Span,
  right: Span,
  was: string,
  [operator, text]: readonly [Operator, string],
): Edit {
  const start = source.indexOf(was, left.end);
  if (start < 0 || start >= right.start) throw new Error(`no ${was} between two operands`);
  return { operator, start, end: start + was.length, text };
}

/** Exchanges the first two neighbours among arguments that both are names, fields or numbers, and differ. */
export function swapArguments(
  source: string,
  args: readonly (Span & { readonly isPlain: boolean })[],
): readonly Edit[] {
  const textOf = ({ start, end }: Span) => source.slice(start, end);
  for (const [i, right] of args.entries()) {
    const left = args[i - 1];
    if (left === undefined || !left.isPlain || !right.isPlain) continue;
    if (textOf(left) === textOf(right)) continue;
    const between = source.slice(left.end, right.start);
    const text = textOf(right) + between + textOf(left);
    return [{ operator: "swapped arguments", start: left.start, end: right.end, text }];
  }
  return [];
}

/** Factors between units of time or size: a number that is one of them is read in a wrong unit. */
const FACTORS = new Set([60, 1000, 1024, 3600, 60_000, 86_400, 1_000_000, 3_600_000, 86_400_000]);

/** Below it a whole number counts, indexes or bounds something, so that one more is a mistake of its own. */
const SMALL = 10;

/** The replacements of a number, if it is one that people get wrong. */
export function misread(value: number, span: Span): readonly Edit[] {
  const { start, end } = span;
  if (FACTORS.has(value)) return [{ operator: "unit", start, end, text: String(value * 1000) }];
  if (!Number.isInteger(value) || value >= SMALL) return [];
  return [{ operator: "off by one", start, end, text: String(value + 1) }];
}

/** Visits each object of a syntax tree that has a `type`, from the outside in; `false` leaves out its children. */
export function walk(value: unknown, visit: (node: { readonly type: string }) => boolean): void {
  if (Array.isArray(value)) return value.forEach((child) => walk(child, visit));
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && !visit(value as { type: string })) return;
  for (const child of Object.values(value)) walk(child, visit);
}
