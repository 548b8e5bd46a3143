import type { Command } from "commander";

import { UsageError } from "../errors.ts";

/** All values of an option that may be repeated, with this one. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** A header's name and value, by which a rule counts. */
export function isIdentity(text: string): boolean {
  return /^[^:\s]+:./.test(text);
}

/** Has a digest in it, as `top` names clients: a value of 22 or 43 characters that may be one. */
const LIKE_DIGEST = /(?:^#|(?:^|,)[^,\s]*:)(?:[\w-]{22}|[\w-]{43})(?=,|$)/;

/** How a command says whether a text is a client's name, as `top` prints it, or the value itself. */
export interface NameOptions {
  readonly digest?: true;
  readonly value?: true;
}

export function withName(command: Command): Command {
  return command
    .option("--digest", "the client is named as `tidegate top` names it")
    .option("--value", "the client is named by the value itself, though that looks like a digest");
}

/** Whether the client is named by its digest. What may be either is refused: the wrong one would change nothing. */
export function isDigest(text: string, { digest, value }: NameOptions): boolean {
  if (digest && value) throw new UsageError("Give --digest or --value, not both.");
  if (!digest && !value && LIKE_DIGEST.test(text)) {
    throw new UsageError(
      `"${text}" may be a client's name as \`tidegate top\` prints it, or the value itself: add --digest or --value.`,
    );
  }
  return digest === true;
}

/** What a policy's option is set to: digits are a number, and the rest, such as `10s`, is a text. */
export function settingOf(text: string): number | string {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}
