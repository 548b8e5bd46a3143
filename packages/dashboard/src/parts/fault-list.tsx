import type { Fault } from "../api/answers.ts";
import { clipped, plain } from "./plain.ts";

interface FaultListProps<Each extends Fault> {
  readonly faults: readonly Each[];
  /** The place of each fault, if it is known. */
  readonly placeOf?: (fault: Each) => string;
  readonly goTo?: (fault: Each) => void;
}

const MAX_SHOWN = 50;

export function FaultList<Each extends Fault>({ faults, placeOf, goTo }: FaultListProps<Each>) {
  if (faults.length === 0) return null;
  return (
    <ul class="faults">
      {faults.slice(0, MAX_SHOWN).map((fault) => (
        <li>
          {placeOf && goTo && (
            <button type="button" class="quiet" onClick={() => goTo(fault)}>
              {placeOf(fault)}
            </button>
          )}{" "}
          {fault.path !== "" && <code class="untrusted">{clipped(fault.path)}</code>}{" "}
          <span>{plain(fault.remedy)}</span>{" "}
          <span class="muted untrusted">found: {clipped(fault.value)}</span>
        </li>
      ))}
      {faults.length > MAX_SHOWN && <li>{faults.length - MAX_SHOWN} more</li>}
    </ul>
  );
}
