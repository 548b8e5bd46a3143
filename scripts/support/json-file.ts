import { readFile } from "node:fs/promises";

import { ProgramError } from "./program.ts";

/**
 * The value in a file of JSON.
 *
 * @throws ProgramError if there is none
 */
export async function readJson(file: string): Promise<unknown> {
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    const why = error.code === "ENOENT" ? "there is no such file" : error.message;
    throw new ProgramError(`${file} can't be read: ${why}`);
  });
  try {
    return JSON.parse(text) as unknown;
  } catch {
    throw new ProgramError(`${file} can't be read: it isn't JSON`);
  }
}
