import type { Command } from "commander";

import type { PlacedFault } from "../check/check-text.ts";
import { wantsJson } from "../connection.ts";
import { EXIT } from "../errors.ts";
import { readFile } from "../files.ts";
import { withExamples } from "../help.ts";
import { faultLine } from "../output/faults.ts";
import { count, note, print, printJson } from "../output/print.ts";

export function registerCheck(rules: Command): void {
  const check = rules
    .command("check")
    .description(
      "Check files offline, for CI: live rules (.json, .jsonc), or RULES, PLANS and LISTS of a wrangler.toml or wrangler.jsonc with those of its environments. Prints each fault as file:line:column: path: remedy (found: value).",
    )
    .argument("<file...>", "files, or - for live rules on the standard input")
    .action(checkFiles);
  withExamples(
    check,
    "npx tidegate rules check wrangler.toml rules.json",
    "cat rules.json | npx tidegate rules check --json -",
  );
}

async function checkFiles(
  files: readonly string[],
  _options: unknown,
  command: Command,
): Promise<void> {
  // They bring the gateway, and other commands start in half the time without it.
  const { checkText } = await import("../check/check-text.ts");
  const { oversizedVariables } = await import("../check/in-wrangler-file.ts");
  const texts = files.map((file) => [file, readFile(file)] as const);
  const faults = texts.flatMap(([file, text]) => checkText(file, text));
  if (wantsJson(command)) printJson(faults);
  else print(...faults.map(faultLine));
  note(...texts.flatMap(([file, text]) => oversizedVariables(file, text)));
  note(summaryOf(files, faults));
  if (faults.length > 0) process.exitCode = EXIT.no;
}

function summaryOf(files: readonly string[], faults: readonly PlacedFault[]): string {
  if (faults.length === 0) return `No faults in ${count(files.length, "file")}.`;
  const faulty = new Set(faults.map(({ file }) => file)).size;
  return `${count(faults.length, "fault")} in ${faulty} of ${count(files.length, "file")}.`;
}
