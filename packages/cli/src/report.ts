import { CommanderError } from "commander";

import { nothingHere } from "../../../src/admin/refusal.ts";
import { CliError, EXIT, type Exit, type Problem, RefusedError } from "./errors.ts";
import { escape } from "./output/escape.ts";
import { faultText } from "./output/faults.ts";
import { note } from "./output/print.ts";
import { styled } from "./output/style.ts";

/** Prints the fault, and returns its exit code. */
export function report(error: unknown): Exit {
  // The parser of arguments has said it itself, or has shown its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof CliError)) throw error;
  const lines = error instanceof RefusedError ? problemLines(error.problem) : [error.message];
  const [first = "", ...others] = lines.map(escape);
  note(`${styled("red", "error:", process.stderr)} ${first}`, ...others);
  return error.exit;
}

function problemLines({ title, status, detail, errors = [] }: Problem): readonly string[] {
  // Any other path that is missing has a detail of its own.
  const isOff = status === 404 && detail === nothingHere().message;
  const advice = isOff
    ? "A gateway without ADMIN_TOKEN answers 404 to everything here."
    : ADVICE[status];
  return [
    `${title} (${status})`,
    ...(detail === undefined ? [] : [detail]),
    ...errors.map((fault) => `  ${faultText(fault)}`),
    ...(advice === undefined ? [] : [advice]),
  ];
}

/** Advice that the gateway cannot give, because it does not know that this program asks. */
const ADVICE: Readonly<Record<number, string>> = {
  401: "The token comes from TIDEGATE_TOKEN or --token-file: it has to be the gateway's ADMIN_TOKEN or READ_TOKEN.",
  412: "`tidegate rules diff --from N --to live` shows what changed since version N, which your document is based on.",
};
