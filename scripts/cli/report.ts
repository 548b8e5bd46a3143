import { CommanderError } from "commander";

import { nothingHere } from "../../src/admin/refusal.ts";
import { CliError, EXIT, type Exit, type Problem, RefusedError } from "./errors.ts";
import { escape } from "./output/escape.ts";
import { faultText } from "./output/faults.ts";
import { note } from "./output/print.ts";
import { styled } from "./output/style.ts";

/** Says what went wrong, and returns the exit code for it. */
export function report(error: unknown): Exit {
  // The parser of arguments has said it itself, or has shown its help.
  if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
  if (!(error instanceof CliError)) throw error;
  const lines = error instanceof RefusedError ? problemLines(error.problem) : [error.message];
  const [first = "", ...others] = lines.map(escape);
  note(`${styled("red", "error:", process.stderr)} ${first}`, ...others);
  return error.exit;
}

function problemLines({ title, status, detail, version, errors = [] }: Problem): readonly string[] {
  return [
    `${title} (${status})`,
    ...(detail === undefined ? [] : [detail]),
    ...errors.map((fault) => `  ${faultText(fault)}`),
    ...(status === 412 && version !== undefined ? [`Version ${version} is live.`] : []),
    ...(status === 404 && detail === nothingHere().message
      ? ["A gateway without ADMIN_TOKEN answers 404 to everything here."]
      : []),
  ];
}
