import type { Stats } from "../api/answers.ts";
import { sum } from "./format.ts";
import type { Series } from "./series.ts";

/** The outcomes of a request, in the order of the layers. */
const OUTCOMES = ["allowed", "denied", "blocked", "refused", "exempt", "passed"] as const;

type Requests = Stats["requests"];

/** Several counts added, moment by moment. */
export function added(length: number, lists: readonly (readonly number[])[]): number[] {
  const total = Array.from({ length }, () => 0);
  for (const counts of lists) for (let i = 0; i < length; i++) total[i]! += counts[i] ?? 0;
  return total;
}

/** A layer for each outcome that there was. */
export function byOutcome(requests: Requests, length: number): Series[] {
  return OUTCOMES.map((outcome) => ({
    label: outcome,
    colour: `--${outcome}`,
    values: added(
      length,
      requests.filter((each) => each.outcome === outcome).map(({ counts }) => counts),
    ),
  })).filter(({ label, values }) => label === "allowed" || label === "denied" || sum(values) > 0);
}

/** The outcomes of a rule's requests. */
export interface RuleCounts {
  readonly rule: string;
  readonly requests: number;
  readonly denied: number;
  readonly blocked: number;
}

/** The rules by their denials, most first. */
export function byRule(requests: Requests): RuleCounts[] {
  const rules = new Map<string, { -readonly [Name in keyof RuleCounts]: RuleCounts[Name] }>();
  for (const { rule, outcome, counts } of requests) {
    const found = rules.get(rule) ?? { rule, requests: 0, denied: 0, blocked: 0 };
    rules.set(rule, found);
    const total = sum(counts);
    found.requests += total;
    if (outcome === "denied") found.denied += total;
    if (outcome === "blocked") found.blocked += total;
  }
  return [...rules.values()].sort(
    (one, other) => other.denied - one.denied || other.requests - one.requests,
  );
}

/** Lines that can be told apart; the others are together. */
const MAX_LINES = 5;

/** Denials over time by rule. */
export function denialsByRule(requests: Requests, length: number): Series[] {
  const denied = requests.filter(({ outcome }) => outcome === "denied");
  const order = byRule(denied).flatMap((row) => (row.denied > 0 ? row.rule : []));
  const valuesOf = (rules: readonly string[]) => {
    const wanted = new Set(rules);
    return added(
      length,
      denied.filter(({ rule }) => wanted.has(rule)).map(({ counts }) => counts),
    );
  };
  const rest = order.slice(MAX_LINES);
  return [
    ...order.slice(0, MAX_LINES).map((rule, i) => ({
      label: rule,
      colour: `--series-${i + 1}`,
      values: valuesOf([rule]),
    })),
    ...(rest.length > 0
      ? [{ label: `${rest.length} other rules`, colour: "--passed", values: valuesOf(rest) }]
      : []),
  ];
}
