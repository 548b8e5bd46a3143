import type { Faults } from "../../options/faults.ts";
import {
  NO_REFUND_OF_FAILURES,
  REFUND_OF_DENIALS,
  REFUNDABLE,
  STORE_WITHOUT_REFUND,
} from "../../options/messages.ts";
import type { CompiledPolicy } from "../../policy/compile.ts";
import type { Policy } from "../../policy/policy.ts";
import type { Store } from "../../store/store.ts";

/** Checks the `refundable` option of a policy. */
export function checkRefundable(
  { counts, refundable }: Policy,
  path: string,
  faults: Faults,
): void {
  if (refundable === undefined) return;
  const at = `${path}.refundable`;
  if (typeof refundable !== "boolean") {
    faults.add(at, refundable, REFUNDABLE);
  } else if (refundable && counts === "denials") {
    faults.add(at, refundable, REFUND_OF_DENIALS);
  } else if (!refundable && counts === "failures") {
    faults.add(at, refundable, NO_REFUND_OF_FAILURES);
  }
}

/** Rejects a custom store that cannot give units back, if a policy needs it. */
export function checkStore(
  policies: readonly CompiledPolicy[],
  { refund }: Pick<Store, "refund">,
  faults: Faults,
): void {
  const first = policies.findIndex(({ refundable }) => refundable);
  if (first === -1 || typeof refund === "function") return;
  const [option, value] = policies[first]!.countsFailures
    ? ["counts", "failures"]
    : ["refundable", true];
  faults.add(`policies[${first}].${option}`, value, STORE_WITHOUT_REFUND);
}
