import type { Live } from "../api/answers.ts";
import { moment } from "./format.ts";
import { plain } from "./plain.ts";

/** The version in force, its time and its author. */
export function Published({ live }: { readonly live: Live }) {
  return (
    <p class="facts">
      <span>{live.version === 0 ? "as deployed" : `version ${live.version}`}</span>
      {live.publishedAt !== undefined && <span>published {moment(live.publishedAt)}</span>}
      {live.by !== undefined && <span>by {plain(live.by)}</span>}
    </p>
  );
}
