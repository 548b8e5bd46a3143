import type { FailureWhen } from "../../algorithms/common-options.ts";
import type { Faults } from "../../options/faults.ts";
import {
  NO_RESPONSE,
  STATUS,
  STATUSES,
  WHEN,
  WHEN_WITHOUT_FAILURES,
} from "../../options/messages.ts";
import { isRecord } from "../../options/record.ts";
import { checkOptions } from "../../options/unknown-options.ts";
import { nameOf } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";

/** A policy that counts failures, and the responses that count as failures. */
export interface Failures {
  /** The policy's name. */
  readonly name: string;
  readonly statuses: ReadonlySet<number>;
}

/** The answers of a login to a wrong password. */
const DEFAULT_STATUSES = [401, 403];
/** A longer list would be a range of statuses, which this option does not support. */
export const MAX_STATUSES = 32;

/** Checks the failure statuses, and compiles them for each policy that counts failures. */
export function compileFailures(policies: readonly Policy[], faults: Faults): readonly Failures[] {
  return policies.flatMap((policy, i) => {
    const { counts, when } = Object(policy) as Policy;
    const at = `policies[${i}].when`;
    if (when !== undefined && counts !== "failures") {
      faults.add(at, when, WHEN_WITHOUT_FAILURES);
    }
    const statuses = when === undefined ? DEFAULT_STATUSES : readStatuses(when, at, faults);
    return counts === "failures" ? [{ name: nameOf(policy), statuses: new Set(statuses) }] : [];
  });
}

/** Refuses the responses of `failures()` where no response is seen; returns the policies without them. */
export function refuseResponses(policies: readonly Policy[], faults: Faults): readonly Policy[] {
  if (!Array.isArray(policies)) return policies;
  return Array.from(policies as readonly Policy[], (policy, i) => {
    const { when, ...others } = Object(policy) as Policy;
    if (when === undefined) return policy;
    faults.add(`policies[${i}].counts`, "failures", NO_RESPONSE);
    return others as Policy;
  });
}

function readStatuses(when: FailureWhen, path: string, faults: Faults): readonly number[] {
  if (!isRecord(when)) {
    faults.add(path, when, WHEN);
    return [];
  }
  checkOptions(when, ["status"], `${path}.`, faults);
  const { status } = when as unknown as FailureWhen;
  if (!Array.isArray(status) || status.length === 0 || status.length > MAX_STATUSES) {
    faults.add(`${path}.status`, status, STATUSES, MAX_STATUSES);
    return [];
  }
  // Array.from visits the holes of a list, forEach() does not.
  Array.from(status as readonly unknown[], (each, i) => {
    if (Number.isInteger(each) && Number(each) >= 100 && Number(each) <= 599) return;
    faults.add(`${path}.status[${i}]`, each, STATUS);
  });
  return status as readonly number[];
}
