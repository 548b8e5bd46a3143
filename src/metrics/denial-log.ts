import type { Decision } from "../decide/decision.ts";
import { firstDenying } from "../decide/outcome.ts";
import { outcomeOf } from "../decide/present.ts";
import { labelOf } from "./fields.ts";
import { identityOf, partitionName } from "./partition-name.ts";
import type { PeriodicWriter } from "./periodic-writes.ts";
import type { CountedRule } from "./tally.ts";

export interface DenialLogOptions {
  /** How partitions are named. */
  readonly identities: "hashed" | "plain";
  /** In milliseconds since 1970. */
  readonly wallNow: () => number;
  readonly write: (line: string) => void;
}

/** Logs one line for each partition and minute of this isolate, with a count. */
export interface DenialLog extends PeriodicWriter {
  /** Counts a denial for the first policy that denies; other decisions are ignored. */
  note(
    rules: readonly CountedRule[],
    decision: Decision,
    identities: Readonly<Record<string, string>> | undefined,
  ): void;
}

/** The partitions that are told apart in a minute. */
const MAX_PARTITIONS = 100;

const MINUTE_MS = 60_000;

interface Denials {
  readonly rule: string;
  readonly firstAtMs: number;
  count: number;
}

interface Minute {
  readonly minute: number;
  /** By policy and identity: to find one takes no text that both are joined in. */
  readonly policies: Map<string, Map<string, Denials>>;
  size: number;
  /** Denials of partitions that found no room. */
  others: Denials | undefined;
}

/** Keeps the denials of the minute that is under way. After the first one of a partition, noting one allocates nothing. */
export function createDenialLog({
  identities: naming,
  wallNow,
  write,
}: DenialLogOptions): DenialLog {
  let current: Minute | undefined;
  let ended: Minute[] = [];

  function endMinuteAt(ms: number): void {
    if (current === undefined || current.minute === minuteOf(ms)) return;
    ended.push(current);
    current = undefined;
  }

  async function writeEnded(): Promise<void> {
    const minutes = ended;
    ended = [];
    for (const { policies, others } of minutes) {
      for (const [policy, partitions] of policies) {
        for (const [identity, { rule, count, firstAtMs }] of partitions) {
          const partition = await partitionName(identity, naming);
          write(lineOf({ policy, partition, rule, count, firstAt: isoOf(firstAtMs) }));
        }
      }
      if (others) write(lineOf({ others: others.count, firstAt: isoOf(others.firstAtMs) }));
    }
  }

  return {
    note(rules, decision, identities) {
      if (decision.allowed || identities === undefined) return;
      const policy = firstDenying(outcomeOf(decision));
      if (policy === undefined) return;
      const nowMs = wallNow();
      endMinuteAt(nowMs);
      current ??= { minute: minuteOf(nowMs), policies: new Map(), size: 0, others: undefined };
      const identity = identityOf(policy, identities);
      const known = current.policies.get(policy.name)?.get(identity);
      if (known) known.count++;
      else begin(current, policy.name, identity, rules, nowMs);
    },

    isDue() {
      if (current === undefined && ended.length === 0) return false;
      endMinuteAt(wallNow());
      return ended.length > 0;
    },

    writeDue: writeEnded,

    flush() {
      if (current) ended.push(current);
      current = undefined;
      return writeEnded();
    },
  };
}

function begin(
  minute: Minute,
  policy: string,
  identity: string,
  rules: readonly CountedRule[],
  firstAtMs: number,
): void {
  if (minute.size === MAX_PARTITIONS) {
    if (minute.others) minute.others.count++;
    else minute.others = { rule: "", firstAtMs, count: 1 };
    return;
  }
  minute.size++;
  const partitions = minute.policies.get(policy) ?? new Map<string, Denials>();
  minute.policies.set(policy, partitions);
  partitions.set(identity, { rule: ruleOfPolicy(policy, rules), firstAtMs, count: 1 });
}

/** The rule that a policy belongs to, by its label. */
export function ruleOfPolicy(policy: string, rules: readonly CountedRule[]): string {
  const isOf = ({ settings }: CountedRule) => settings.policies.some(({ name }) => name === policy);
  const { methods, path } = (rules.find(isOf) ?? rules[0]!).route;
  return labelOf(methods, path);
}

function minuteOf(ms: number): number {
  return Math.floor(ms / MINUTE_MS);
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

/** JSON in printable ASCII: a terminal or a viewer of logs can only show it. */
function lineOf(fields: object): string {
  return JSON.stringify(fields).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
