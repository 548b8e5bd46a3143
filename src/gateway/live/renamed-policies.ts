import type { Ruleset } from "../rules/ruleset.ts";

/** The paths of unnamed policies whose name, made of their numbers, changes: with a name of their own, their counts would go on. */
export function renamedPolicies(before: Ruleset, after: Ruleset): readonly string[] {
  const [old, next] = [namesOf(before), namesOf(after)];
  return after.rules.flatMap(({ settings, reader }, i) =>
    settings.policies.flatMap(({ name, key }, j) => {
      const rule = before.rules[i];
      const replaced = rule?.settings.policies[j];
      // A policy that only stands elsewhere keeps its counts.
      if (!replaced || old.has(name) || next.has(replaced.name)) return [];
      const isNamed = [reader, rule.reader].some(({ policies }) => policies[j]?.name !== undefined);
      // Another algorithm or window counts anew under any name.
      const countsOn = key.slice(name.length) === replaced.key.slice(replaced.name.length);
      return !isNamed && countsOn ? [`rules[${i}].policies[${j}]`] : [];
    }),
  );
}

function namesOf({ settings }: Ruleset): ReadonlySet<string> {
  return new Set(settings.policies.map(({ name }) => name));
}
