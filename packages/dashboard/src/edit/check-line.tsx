import { count } from "../parts/format.ts";
import { plain } from "../parts/plain.ts";
import type { Checked } from "./use-check.ts";

/** The gateway's answer about the text. */
export function CheckLine({ checked }: { readonly checked: Checked }) {
  return (
    <p id="check" class={`check ${checked.state}`} role="status">
      {sentenceOf(checked)}
    </p>
  );
}

function sentenceOf(checked: Checked): string {
  if (checked.state === "checking") return "Checking…";
  if (checked.state === "failed") return plain(checked.error.message);
  if (checked.state === "faulty") return counted(checked.faults.length, "fault");
  if (checked.changes.length === 0) return "Sound, and the same as in force.";
  const { changes, countsAnew = [] } = checked;
  const warnings = countsAnew.map(
    (path) => ` ${path} is unnamed: its counts begin anew. Give it a name.`,
  );
  return `Sound: ${counted(changes.length, "change")}.${warnings.join("")}`;
}

function counted(number: number, noun: string): string {
  return `${count(number)} ${noun}${number === 1 ? "" : "s"}`;
}
