import type { Fault } from "../../options/errors.ts";
import { Faults } from "../../options/faults.ts";

/** More than anybody reads. A document can have 60,000, and their sentences 13 MB. */
export const MAX_FAULTS = 1_000;

class EnoughFaults extends Error {}

class FirstFaults extends Faults {
  override put(fault: Fault): void {
    super.put(fault);
    if (this.list.length === MAX_FAULTS) throw new EnoughFaults();
  }
}

/** Runs a check until it has found so many faults, and gives its result; `undefined` if the check did not end. */
export function firstFaults<Result>(check: (faults: Faults) => Result): {
  readonly faults: readonly Fault[];
  readonly result: Result | undefined;
} {
  const faults = new FirstFaults();
  try {
    return { result: check(faults), faults: faults.list };
  } catch (error) {
    if (!(error instanceof EnoughFaults)) throw error;
    return { result: undefined, faults: faults.list };
  }
}
