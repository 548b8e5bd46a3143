import type { Policy } from "../../api/answers.ts";

/** The numbers of a policy that can be other ones, as the API calls them and as people read them. */
export const LABELS = { limit: "Limit", refill: "Refill", per: "Every", window: "Window" } as const;
type NumberName = keyof typeof LABELS;
const NUMBERS = Object.keys(LABELS) as NumberName[];

/** A policy with other numbers. */
export interface Edited {
  readonly policy: string;
  /** As they are written in the form. */
  readonly numbers: Readonly<Partial<Record<NumberName, string>>>;
  readonly minutes: number;
}

/** How far back a replay may go. */
export const MINUTES = [60, 30, 10] as const;

/** Policies that a replay can answer for: the others count by data that the sample does not have. */
export function replayable(policies: readonly Policy[]): readonly Policy[] {
  return policies.filter(
    ({ name, algorithm, counts = "requests" }) =>
      name !== undefined && algorithm !== "concurrency" && counts === "requests",
  );
}

/** The numbers that a policy has. */
export function numbersOf(policy: Policy): readonly NumberName[] {
  return NUMBERS.filter((name) => policy[name] !== undefined);
}

/** Those that differ from the policy's own. */
export function changedNumbers(policy: Policy, { numbers }: Edited): Record<string, unknown> {
  const changed = numbersOf(policy).filter(
    (name) => (numbers[name] ?? "") !== "" && numbers[name] !== String(policy[name]),
  );
  return Object.fromEntries(
    changed.map((name) => {
      const text = numbers[name]!;
      return [name, /^\d{1,15}$/.test(text) ? Number(text) : text];
    }),
  );
}

/** The form as an address has it; `undefined` if it names none of these policies. */
export function editedBy(query: URLSearchParams, policies: readonly Policy[]): Edited | undefined {
  const policy = policies.find(({ name }) => name === query.get("policy"));
  if (policy?.name === undefined) return undefined;
  const edited = numbersOf(policy).flatMap((name) => {
    const text = query.get(name);
    return text === null ? [] : [[name, text] as const];
  });
  const minutes = MINUTES.find((each) => String(each) === query.get("minutes")) ?? MINUTES[0];
  return { policy: policy.name, numbers: Object.fromEntries(edited), minutes };
}

/** The part of an address that has the form's values. */
export function queryOf({ policy, numbers, minutes }: Edited): Record<string, string> {
  return { policy, ...numbers, minutes: String(minutes) };
}
