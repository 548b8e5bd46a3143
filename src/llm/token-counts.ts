import type { Role } from "./usage-shapes.ts";

/**
 * The meaning of a number. `unknown` are tokens with a name that no shape has; `detail` are those in an object with details of
 * another number, which are a part of it if there is a total.
 */
export type Counted = Role | "unknown" | "detail";

export type TokenCounts = Readonly<Partial<Record<Counted, number>>>;

/** The tokens of a usage if every number that may be beside another one is beside it. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number | undefined;
  readonly written: number | undefined;
  /** Whether input and output are both known, and there is one way to read them. */
  readonly isWhole: boolean;
}

export function tokensOf(counts: TokenCounts): Tokens {
  const { output = counts.seconds && 0, total, part = 0 } = counts;
  const hasInput = (counts.prompt ?? counts.input ?? counts.seconds) !== undefined;
  const input = inputOf(counts);
  const told = outputOf(counts);
  // A part that is more than all is beside it.
  const beside = part > Math.max(total ?? 0, input + told) ? part : 0;
  const answer = told + beside;
  // Tokens of a total that no part names count as output, which costs more.
  const rest = Math.max(0, (total ?? 0) - input - answer);
  const isOfInput = !hasInput && output !== undefined;
  const hasBoth = hasInput && output !== undefined;
  const hasOneAndNoMore = (hasInput || output !== undefined) && total !== undefined && rest === 0;
  return {
    input: input + (isOfInput ? rest : 0),
    output: answer + (isOfInput ? 0 : rest),
    cached: greatest(counts.cached, counts.cacheRead),
    written: greatest(counts.written, counts.cacheWrite, counts.writtenParts),
    isWhole:
      (hasBoth || hasOneAndNoMore) && beside === 0 && !hasAmbiguous(counts) && !hasHalf(counts),
  };
}

function inputOf(counts: TokenCounts): number {
  const { prompt = counts.seconds, input, cacheRead = 0, tools = 0 } = counts;
  const cacheWrite = greatest(counts.cacheWrite, counts.writtenParts) ?? 0;
  const inside =
    Math.max(counts.cached ?? 0, cacheRead) + Math.max(counts.written ?? 0, cacheWrite);
  // A `prompt` includes the parts with Anthropic's names.
  const apart =
    prompt !== undefined && input === undefined ? 0 : (input ?? 0) + cacheRead + cacheWrite;
  const whole = Math.max(prompt ?? 0, apart);
  // A part that is more than the whole is beside it.
  return whole + (inside > whole ? inside : 0) + tools;
}

function outputOf({ output = 0, thoughts = 0, unknown = 0, ...counts }: TokenCounts): number {
  const { reasoning = 0, detail = 0, total } = counts;
  const beside = total === undefined ? reasoning + detail : reasoning > output ? reasoning : 0;
  return output + thoughts + unknown + beside;
}

/** Whether some number may be a part of another one, or beside it. */
function hasAmbiguous({ unknown, reasoning, detail, total }: TokenCounts): boolean {
  return Boolean(unknown) || (total === undefined && Boolean(reasoning || detail));
}

/** Whether one of the two numbers of a cache is missing, and no total tells of it. */
function hasHalf({ prompt, total, cacheRead, cacheWrite, writtenParts }: TokenCounts): boolean {
  const isApart = prompt === undefined && total === undefined;
  return isApart && (cacheRead === undefined) !== ((cacheWrite ?? writtenParts) === undefined);
}

function greatest(...numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((each) => each !== undefined);
  return known.length > 0 ? Math.max(...known) : undefined;
}
