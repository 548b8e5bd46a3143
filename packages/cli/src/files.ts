import { closeSync, openSync, readSync, writeFileSync } from "node:fs";

import { UsageError } from "./errors.ts";

/** A document has at most 900,000 bytes of JSON; indentation and comments make a file a few times as long. */
const MAX_MIB = 4;
const MAX_BYTES = MAX_MIB * 2 ** 20;

/** Reads a file that the user named; `-` is the standard input. A device or a pipe may have no end. */
export function readFile(file: string): string {
  const bytes = Buffer.alloc(MAX_BYTES + 1);
  let length: number;
  try {
    length = readInto(bytes, file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}`);
  }
  if (length <= MAX_BYTES) return bytes.toString("utf8", 0, length);
  throw new UsageError(
    `${file} cannot be read: it has more than ${MAX_MIB} MiB, and rules and variables are shorter.`,
  );
}

/** Returns how many bytes there are, up to those that there is room for. */
function readInto(bytes: Buffer, file: string): number {
  const descriptor = file === "-" ? 0 : openSync(file, "r");
  try {
    let length = 0;
    let read: number;
    do {
      read = readSync(descriptor, bytes, length, bytes.length - length, null);
      length += read;
    } while (read > 0);
    return length;
  } finally {
    if (descriptor !== 0) closeSync(descriptor);
  }
}

export function writeFile(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new UsageError(`${file} cannot be written: ${(error as Error).message}`);
  }
}
