import type { PlacedFault } from "../check/check-text.ts";
import type { ApiFault } from "../errors.ts";
import { escape } from "./escape.ts";
import { styled } from "./style.ts";

/** A fault as one line that editors and build logs turn into a link. */
export function faultLine({ file, line, column, ...fault }: PlacedFault): string {
  return `${styled("bold", escape(`${file}:${line}:${column}:`))} ${faultText(fault)}`;
}

export function faultText({ path, value, remedy }: ApiFault): string {
  const at = path === "" ? "" : `${path}: `;
  // A value that is hidden or shown by its type alone has parentheses already.
  const found = value.replace(/^\((.*)\)$/, "$1");
  return escape(`${at}${remedy} (${value === "missing" ? value : `found: ${found}`})`);
}
