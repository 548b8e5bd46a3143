import type { PlacedFault } from "../../check/check-text.ts";
import { faultText } from "../../output/faults.ts";
import type { Finding } from "../finding.ts";

/** The faults that `tidegate rules check` lists; the first of them is shown. */
export function checkConfig(faults: readonly PlacedFault[]): Finding | undefined {
  const [first] = faults;
  if (first === undefined) return undefined;
  const { file, line, column, ...fault } = first;
  const more = faults.length > 1 ? `, and ${faults.length - 1} more` : "";
  return {
    id: "config-faults",
    severity: "error",
    title: "The gateway refuses the rules of the wrangler file",
    evidence: `${file}:${line}:${column}: ${faultText(fault)}${more}`,
    remedy: `Mend what npx tidegate rules check ${file} lists.`,
  };
}
