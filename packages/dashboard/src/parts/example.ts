import type { Rule, RulesDocument } from "../api/answers.ts";

/** As much of a request as a link to the view of partitions says of it. */
export type Example = Readonly<Record<"method" | "path", string>>;

/** A request that a rule covers. */
export function exampleOf({ method: methods = "*", path }: Rule): Example {
  const [method = "*"] = [methods].flat();
  return {
    method: method === "*" ? "GET" : method,
    path: path.replaceAll(/:\w+/g, "1").replaceAll(/\*+/g, "x"),
  };
}

/** A request that a policy counts; `undefined` if no rule has a policy of this name. */
export function exampleFor({ rules }: RulesDocument, policyName: string): Example | undefined {
  const rule = rules.find(({ policies }) => policies.some(({ name }) => name === policyName));
  return rule && exampleOf(rule);
}
