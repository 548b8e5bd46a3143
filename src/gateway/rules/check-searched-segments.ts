import type { Faults } from "../../options/faults.ts";
import { parsePattern } from "./router.ts";
import { inRule, type Rule } from "./rule.ts";
import { SEARCHED_SEGMENTS } from "./variable-messages.ts";

/**
 * The most segments between `**` and a last `*`, in the paths of all rules together. They are looked for everywhere in the
 * path of a request: for the worst of them that takes about 10 ms where the path has 5 kB.
 */
const MAX_SEARCHED = 100;

/** Rejects rules whose paths would make a client's long path take long. */
export function checkSearchedSegments(
  rules: readonly (Rule | undefined)[],
  list: readonly unknown[],
  faults: Faults,
): void {
  let searched = 0;
  rules.forEach((rule, i) => {
    if (!rule) return;
    const { path } = rule.route;
    const { tail = [], isOpen } = parsePattern(path);
    if (!isOpen || tail.length === 0) return;
    searched += tail.length;
    if (searched <= MAX_SEARCHED) return;
    inRule(list[i], faults).add(`RULES[${i}].path`, path, SEARCHED_SEGMENTS, MAX_SEARCHED);
  });
}
