import type { Change } from "../answers.ts";
import { escape } from "./escape.ts";
import { inline } from "./print.ts";
import { styled } from "./style.ts";

/** Differences as lines: `+` is new, `-` is gone, `~` is changed. */
export function changeLines(changes: readonly Change[]): readonly string[] {
  return changes.map((change) => styled(COLOURS[change.type], changeText(change)));
}

const COLOURS = { added: "green", removed: "red", changed: "yellow" } as const;

/** A difference in one line without colours. */
export function changeText({ type, path, before, after }: Change): string {
  const at = escape(path) || "the document";
  if (type === "added") return `+ ${at}: ${inline(after)}`;
  if (type === "removed") return `- ${at}: ${inline(before)}`;
  return `~ ${at}: ${inline(before)} -> ${inline(after)}`;
}
