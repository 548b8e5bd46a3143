import { compileNumbers } from "../../features/plans.ts";
import type { Fault } from "../../options/errors.ts";
import type { Faults } from "../../options/faults.ts";
import { PlacedFaults } from "../../options/placed-faults.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import { OwnNumbers } from "../../policy/own-numbers.ts";
import type { Policy } from "../../policy/policy.ts";
import { TABLES } from "./override-messages.ts";
import { withLeases } from "./with-leases.ts";

/** Each table of numbers is compiled with every policy. */
export const MAX_TABLES = 1_000;

/** The policies to which tables give other numbers. */
export interface NumberedPolicies {
  /** As the rules give them. */
  readonly declared: readonly Policy[];
  readonly policies: readonly CompiledPolicy[];
  /** Tables that are compiled already, by the table as JSON. */
  readonly known?: ReadonlyMap<string, OwnNumbers> | undefined;
}

/** The tables of numbers of overrides. Each different one is compiled once, however many clients have it. */
export interface NumberTables {
  /** By the table as JSON. */
  readonly all: ReadonlyMap<string, OwnNumbers>;
  /** The policies with the numbers at a path; `undefined` if there are too many different tables. */
  of(numbers: unknown, path: string): OwnNumbers | undefined;
}

/** @param room how many tables the memory has room for */
export function createNumberTables(
  { declared, policies, known }: NumberedPolicies,
  room: number,
  faults: Faults,
): NumberTables {
  const maxTables = Math.min(MAX_TABLES, room);
  const all = new Map<string, OwnNumbers>();
  const faulty = new Map<string, Fault & { readonly start: number }>();

  function compileNew(numbers: unknown, text: string, path: string): OwnNumbers | undefined {
    if (all.size >= maxTables) {
      faults.add(path, numbers, TABLES, maxTables);
      return undefined;
    }
    const own = new PlacedFaults(faults, { pathsOf: (within) => [within] });
    const compiled = () => compileNumbers(numbers, path, declared, policies, own);
    const table = known?.get(text) ?? new OwnNumbers(withLeases(compiled(), policies));
    const [first] = own.list;
    if (first) faulty.set(text, { ...first, start: path.length });
    all.set(text, table);
    return table;
  }

  return {
    all,

    // All faults of a table are reported at the first path that has it, and one at each other: thousands of paths times all
    // their faults would fill an isolate's memory.
    of(numbers, path) {
      const text = JSON.stringify(numbers);
      const table = all.get(text);
      if (!table) return compileNew(numbers, text, path);
      const first = faulty.get(text);
      if (first) {
        const { start, ...fault } = first;
        faults.put({ ...fault, path: path + fault.path.slice(start) });
      }
      return table;
    },
  };
}
