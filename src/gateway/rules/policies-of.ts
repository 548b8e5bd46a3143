import { IMPLEMENTATION } from "../../algorithms/algorithm.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Rule } from "./rule.ts";

/**
 * The policies of rules as they were given, with the algorithms that decide them: windows of a calendar have another one than
 * rules name. Plans are compiled from these.
 *
 * @param compiled the same policies in the same order
 */
export function policiesOf(
  rules: readonly Rule[],
  compiled: readonly CompiledPolicy[],
): readonly Policy[] {
  const declared = rules.flatMap(({ reader }) => reader.policies);
  return compiled.map(({ algorithm, implementation }, i) =>
    Object.assign({}, declared[i], { algorithm, [IMPLEMENTATION]: implementation }),
  );
}
