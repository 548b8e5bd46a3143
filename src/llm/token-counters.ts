import { type Counted, type TokenCounts, type Tokens, tokensOf } from "./token-counts.ts";
import { BESIDE, ITERATION_TYPES } from "./usage-shapes.ts";
import type { Usage } from "./usage.ts";

/** The numbers that the documents of a response have told. */
export interface TokenCounters {
  /** @param isSum whether the document tells the number in parts, which are summed */
  add(path: string, counted: Counted, tokens: number, isSum: boolean): void;
  /** Adds a number that is a part of another one. */
  addPart(tokens: number): void;
  /** Adds the numbers of an item of `iterations`. */
  addIteration(type: string, counts: Readonly<Record<string, CountedTokens>>): void;
  /** Says that numbers that follow are of another document. */
  endDocument(): void;
  /** Says that a number is unreadable or has an unknown name. */
  doubt(): void;
  /** `undefined` while no number is known. */
  usage(isLast: boolean): Usage | undefined;
}

export type CountedTokens = readonly [Counted, number];

/** Numbers of the answer, of the iterations that are included in these, and of what is beside them. */
const GROUPS = ["answer", "included", "beside"] as const;

interface Counter {
  readonly counted: Counted;
  readonly group: (typeof GROUPS)[number];
  readonly isSum: boolean;
  /** In this document. */
  now: number;
  most: number;
}

/** Numbers of these kinds are parts, which are summed. */
const SUMMED = new Set<Counted>(["writtenParts", "unknown", "detail"]);

export function createTokenCounters(): TokenCounters {
  const counters = new Map<string, Counter>();
  let isDoubtful = false;
  let largestPart = 0;

  function count(key: string, tokens: number, of: Omit<Counter, "now" | "most">): void {
    const counter = counters.get(key) ?? { ...of, now: 0, most: 0 };
    counters.set(key, counter);
    if (!of.isSum && tokens < counter.most) isDoubtful = true;
    counter.now = tokens + (of.isSum ? counter.now : 0);
    counter.most = Math.max(counter.most, counter.now);
  }

  function countsOf(group: Counter["group"]): TokenCounts {
    const all = [...counters.values()].filter((counter) => counter.group === group);
    const counts = combined(all.map(({ counted, most }) => [counted, most]));
    return group === "answer" ? { ...counts, part: largestPart } : counts;
  }

  return {
    add(path, counted, tokens, isSum) {
      const group = path.startsWith(BESIDE) ? "beside" : "answer";
      count(path, tokens, { counted, group, isSum });
    },

    addPart(tokens) {
      largestPart = Math.max(largestPart, tokens);
    },

    addIteration(type, counts) {
      const place = Object.hasOwn(ITERATION_TYPES, type) ? ITERATION_TYPES[type] : undefined;
      const group = place === "answer" ? "included" : "beside";
      if (!place || !tokensOf(combined(Object.values(counts))).isWhole) isDoubtful = true;
      for (const [path, [counted, tokens]] of Object.entries(counts)) {
        count(group + path, tokens, { counted, group, isSum: true });
      }
    },

    endDocument() {
      for (const counter of counters.values()) {
        if (!counter.isSum) continue;
        if (counter.now > 0 && counter.now < counter.most) isDoubtful = true;
        counter.now = 0;
      }
    },

    doubt() {
      isDoubtful = true;
    },

    usage(isLast) {
      if (counters.size === 0) return undefined;
      const [answer, included, beside] = GROUPS.map((group) => tokensOf(countsOf(group))) as [
        Tokens,
        Tokens,
        Tokens,
      ];
      const isWhole = answer.isWhole && (beside.isWhole || beside.input + beside.output === 0);
      const most = (name: "input" | "output" | "cached" | "written") =>
        safe(Math.max(answer[name] ?? 0, included[name] ?? 0) + (beside[name] ?? 0));
      const isTold = (name: "cached" | "written") =>
        [answer, included, beside].some((tokens) => tokens[name] !== undefined);
      const cached = most("cached");
      const written = most("written");
      // The parts may come from one group and the whole from another.
      const input = safe(Math.max(most("input"), cached + written));
      return {
        inputTokens: input,
        outputTokens: most("output"),
        totalTokens: safe(input + most("output")),
        ...(isTold("cached") && { cachedTokens: cached }),
        ...(isTold("written") && { cacheWriteTokens: written }),
        complete: isLast && isWhole && !isDoubtful,
      };
    },
  };
}

/** The greatest number of each kind, or the sum of those that are told apart. */
function combined(numbers: Iterable<CountedTokens>): TokenCounts {
  const counts: { -readonly [Each in Counted]?: number } = {};
  for (const [counted, tokens] of numbers) {
    const known = counts[counted] ?? 0;
    counts[counted] = SUMMED.has(counted) ? known + tokens : Math.max(known, tokens);
  }
  return counts;
}

const safe = (tokens: number) => Math.min(tokens, Number.MAX_SAFE_INTEGER);
