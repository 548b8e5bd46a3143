import type { Command } from "commander";

import { UsageError } from "../errors.ts";

/** A source, and 22 or 43 characters that may be the digest by which `top` names a client. */
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

/**
 * Whether the client is named by its digest.
 *
 * @throws UsageError where the text may be either: an entry for the wrong one would have no effect, and not say so
 */
export function isDigest(text: string, { digest, value }: NameOptions): boolean {
  if (digest && value) throw new UsageError("Give --digest or --value, not both.");
  if (!digest && !value && LIKE_DIGEST.test(text)) {
    throw new UsageError(
      `"${text}" may be a client's name as \`tidegate top\` prints it, or the value itself: add --digest or --value.`,
    );
  }
  return digest === true;
}
