import type { Change } from "../answers.ts";
import { escape } from "./escape.ts";
import { inline } from "./print.ts";
import { styled } from "./style.ts";

/** Differences as lines: `+` is new, `-` is gone, `~` is changed. */
export function changeLines(changes: readonly Change[]): readonly string[] {
  return changes.map(({ type, path, before, after }) => {
    const at = escape(path) || "the document";
    if (type === "added") return styled("green", `+ ${at}: ${inline(after)}`);
    if (type === "removed") return styled("red", `- ${at}: ${inline(before)}`);
    return styled("yellow", `~ ${at}: ${inline(before)} -> ${inline(after)}`);
  });
}
