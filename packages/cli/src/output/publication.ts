import type { Published } from "../answers.ts";
import { escape } from "./escape.ts";
import { count, note } from "./print.ts";

/** A rollback to a version with the same rules would else look as if it had changed something. */
export function notePublished(published: Published, percent: number | undefined): void {
  const { version, changes, takenBack } = published;
  const to = percent === undefined ? "" : ` to ${percent} percent of the clients`;
  note(
    takenBack === undefined
      ? `Published version ${version}${to}${changes.length === 0 ? ", which changes nothing" : ""}.`
      : `Took version ${takenBack} back: all clients have ${version === 0 ? "the deployed rules" : `version ${version}`}.`,
  );
  warnOf(published);
}

/** What rules do beside the changes that they say. */
export function warnOf({ leftOut = 0, countsAnew = [] }: Published): void {
  for (const path of countsAnew) {
    note(`warning: ${escape(path)} is unnamed: its counts begin anew. Give it a \`name\`.`);
  }
  // Entries by single calls stay in Redis, so that rules which allow them again bring them back.
  if (leftOut === 0) return;
  const entries = count(leftOut, "entry", "entries");
  note(
    `warning: these rules leave ${entries} of single clients out of force. \`tidegate overrides\` and \`tidegate lists\` show which, once the rules are in force.`,
  );
}
