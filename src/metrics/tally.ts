import type { PolicyRows } from "../decide/outcome.ts";
import type { CompiledPolicy } from "../policy/compile.ts";
import { codeOf, FIELD, labelOf, MAX_RULES, NO_RULE_LABEL, OTHER_RULES_LABEL } from "./fields.ts";
import { MODES, ORIGIN_FAILURES, OUTCOMES, UTILIZATION_BOUNDS } from "./outcomes.ts";

/** A rule as it is counted. */
export interface CountedRule {
  readonly route: { readonly methods: readonly string[]; readonly path: string };
  readonly settings: { readonly policies: readonly Pick<CompiledPolicy, "name" | "mode">[] };
}

/** Called with each count that is not 0. */
export type Collect = (field: string, count: number) => void;

/** The columns of a policy: how often it allowed and denied, its utilizations, and their sum in thousandths. */
const UTILIZATIONS = 2;
const SUM = UTILIZATIONS + UTILIZATION_BOUNDS.length;
const WIDTH = SUM + 1;

/** Counts the outcomes of requests under one set of rules. All positions exist from the beginning. */
export interface Tally {
  /** Counts a request under the rule that a policy of this name belongs to, or else under the given one. */
  request(outcome: number, rule: object | undefined, denying?: string): void;
  /** Counts the decisions of policies. */
  evaluations(rows: PolicyRows): void;
  /** Counts a request that the origin did not answer. */
  unanswered(failure: number): void;
  /** Returns its counts since the last time. */
  drain(collect: Collect): void;
}

/** @param onFirst called with the first count since the last time */
export function createTally(rules: readonly CountedRule[], onFirst: () => void): Tally {
  const labels = [NO_RULE_LABEL];
  const ruleOf = new Map<object, number>();
  const ruleOfPolicy = new Map<string, number>();
  const policies = new Map<string, number>();
  const modes: string[] = [];
  rules.forEach((rule, i) => {
    const { route, settings } = rule;
    if (i < MAX_RULES) labels.push(labelOf(route.methods, route.path));
    else if (i === MAX_RULES) labels.push(OTHER_RULES_LABEL);
    const place = labels.length - 1;
    ruleOf.set(rule, place);
    for (const { name, mode } of settings.policies) {
      ruleOfPolicy.set(name, place);
      policies.set(name, modes.push(codeOf(MODES.indexOf(mode))) - 1);
    }
  });
  const requests = new Float64Array(labels.length * OUTCOMES.length);
  const evaluated = new Float64Array(modes.length * WIDTH);
  const unanswered = new Float64Array(ORIGIN_FAILURES.length);
  let isEmpty = true;

  function begin(): void {
    if (!isEmpty) return;
    isEmpty = false;
    onFirst();
  }

  return {
    request(outcome, rule, denying) {
      begin();
      const place =
        (denying === undefined ? undefined : ruleOfPolicy.get(denying)) ??
        (rule === undefined ? 0 : (ruleOf.get(rule) ?? 0));
      requests[place * OUTCOMES.length + outcome]!++;
    },

    evaluations({ policies: compiled, rows }) {
      begin();
      for (let i = 0; i < rows.length; i++) {
        const { name, limit } = compiled[i]!;
        const place = policies.get(name);
        if (place === undefined) continue;
        const { allowed, remaining } = rows[i]!;
        const start = place * WIDTH;
        const used = (limit - remaining) / limit;
        evaluated[start + (allowed ? 0 : 1)]!++;
        evaluated[start + UTILIZATIONS + bucketOf(used)]!++;
        evaluated[start + SUM]! += Math.round(used * 1000);
      }
    },

    unanswered(failure) {
      begin();
      unanswered[failure]!++;
    },

    drain(collect) {
      unanswered.forEach((count, i) => {
        if (count > 0) collect(FIELD.originFailures + codeOf(i), count);
      });
      requests.forEach((count, i) => {
        if (count === 0) return;
        const label = labels[Math.floor(i / OUTCOMES.length)]!;
        collect(`${FIELD.requests}${codeOf(i % OUTCOMES.length)}${label}`, count);
      });
      for (const [name, place] of policies) {
        const start = place * WIDTH;
        for (let i = 0; i < WIDTH; i++) {
          const count = evaluated[start + i]!;
          if (count !== 0) collect(fieldOf(i, modes[place]!) + name, count);
        }
      }
      unanswered.fill(0);
      requests.fill(0);
      evaluated.fill(0);
      isEmpty = true;
    },
  };
}

function bucketOf(used: number): number {
  let bucket = 0;
  while (bucket < UTILIZATION_BOUNDS.length - 1 && used > UTILIZATION_BOUNDS[bucket]!) bucket++;
  return bucket;
}

/** The beginning of the field of a policy's count at a place. */
function fieldOf(place: number, mode: string): string {
  if (place < UTILIZATIONS) return FIELD.evaluations + mode + codeOf(place);
  return place < SUM ? FIELD.utilization + codeOf(place - UTILIZATIONS) : FIELD.utilizationSum;
}
