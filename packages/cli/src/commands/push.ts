import type { Command } from "commander";
import { applyEdits, modify } from "jsonc-parser";

import { Published, Saved } from "../answers.ts";
import { connect, wantsJson } from "../connection.ts";
import type { DocumentFile } from "../document-file.ts";
import { UsageError } from "../errors.ts";
import { writeFile } from "../files.ts";
import { changeLines } from "../output/changes.ts";
import { count, note, print, printJson } from "../output/print.ts";
import { notePublished, warnOf } from "../output/publication.ts";
import { newestVersion } from "./newest-version.ts";
import { termsOf, type TrialOptions } from "./trial.ts";

interface PushOptions extends TrialOptions {
  readonly dryRun?: true;
  readonly force?: true;
  readonly update?: true;
  readonly note?: string;
}

/** Checks and publishes a document. */
export async function push(file: string, options: PushOptions, command: Command): Promise<void> {
  if (options.update && file === "-") throw new UsageError("--update needs a file to write to.");
  const { percent, maxDenied } = termsOf(options);
  const { readDocument, sending } = await documentFiles();
  const document = readDocument(file);
  const ask = connect(command);
  const ifMatch = options.force ? await newestVersion(ask) : baseOf(document);
  const query = [
    ...(options.dryRun ? ["dry-run"] : []),
    ...(options.note === undefined ? [] : [`note=${encodeURIComponent(options.note)}`]),
    ...(percent === undefined ? [] : [`percent=${percent}`]),
    ...(maxDenied === undefined ? [] : [`max-denied=${maxDenied}`]),
  ].join("&");
  const path = query === "" ? "/rules" : `/rules?${query}`;
  const body = document.parsed.value;
  const { raw, value } = await sending(document, () =>
    ask({ method: "PUT", path, body, ifMatch }, Published),
  );
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  if (options.dryRun) {
    note(`${count(value.changes.length, "change")}; nothing is published.`);
    warnOf(value);
    return;
  }
  notePublished(value, percent);
  if (options.update) writeVersion(document, value.version);
  else note(`The next push is based on it: set "version": ${value.version}, or use --update.`);
}

/** They bring the gateway, and other commands start in half the time without it. */
const documentFiles = () => import("../document-file.ts");

function baseOf({ file, version }: DocumentFile): number {
  if (version !== undefined) return version;
  throw new UsageError(
    `${file} has no version that it is based on: begin with \`tidegate rules pull\`, or use --force.`,
  );
}

function writeVersion({ file, parsed }: DocumentFile, version: number): void {
  const formattingOptions = { insertSpaces: true, tabSize: 2 };
  const edits = modify(parsed.text, ["version"], version, { formattingOptions });
  writeFile(file, applyEdits(parsed.text, edits));
}

/** Checks a document and keeps it as the draft. */
export async function draft(file: string, _options: unknown, command: Command): Promise<void> {
  const { readDocument, sending } = await documentFiles();
  const document = readDocument(file);
  const ask = connect(command);
  const body = document.parsed.value;
  const { raw, value } = await sending(document, () =>
    ask({ method: "PUT", path: "/rules/draft", body }, Saved),
  );
  if (wantsJson(command)) printJson(raw);
  else print(...changeLines(value.changes));
  note(`Saved as the draft, based on version ${value.basedOn}.`);
  if (document.version !== undefined && document.version !== value.basedOn) {
    note(
      `Warning: the file is based on version ${document.version}, so that publishing the draft undoes what changed since.`,
    );
  }
}
