import { parseFile, placeFaults, syntaxFaults } from "./check/check-text.ts";
import type { Parsed } from "./check/text-position.ts";
import { CliError, EXIT, RefusedError } from "./errors.ts";
import { readFile } from "./files.ts";
import { faultLine } from "./output/faults.ts";
import { note } from "./output/print.ts";

/** A file with a document of live rules. */
export interface DocumentFile {
  readonly file: string;
  readonly parsed: Parsed;
  /** The version that it is based on. */
  readonly version: number | undefined;
}

/** Reads a document to send. The gateway checks its content. */
export function readDocument(file: string): DocumentFile {
  const parsed = parseFile(file, readFile(file));
  if (parsed.faults.length > 0) {
    note(...syntaxFaults(file, parsed).map(faultLine));
    throw new CliError(`${file} is not sent.`, EXIT.no);
  }
  const { version } = Object(parsed.value) as { version?: unknown };
  return { file, parsed, version: Number.isSafeInteger(version) ? Number(version) : undefined };
}

/** Sends a document; gives the faults that the gateway finds in it their places in the file. */
export async function sending<Result>(
  { file, parsed }: DocumentFile,
  send: () => Promise<Result>,
): Promise<Result> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof RefusedError) || !error.problem.errors) throw error;
    const { errors, ...problem } = error.problem;
    note(...placeFaults(file, parsed, errors).map(faultLine));
    throw new RefusedError(problem);
  }
}
