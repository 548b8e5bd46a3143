import { UNSAVED } from "../api/session.ts";

/** A text that was edited and is neither a draft nor published. */
export interface Unsaved {
  readonly text: string;
  /** The version that it is based on. */
  readonly based: number;
}

/** The edits that were left with the view, of this tab alone. */
export function unsavedEdits(): Unsaved | undefined {
  const kept = sessionStorage.getItem(UNSAVED);
  return kept === null ? undefined : (JSON.parse(kept) as Unsaved);
}

export function keepEdits(edits: Unsaved | undefined): void {
  try {
    if (edits) sessionStorage.setItem(UNSAVED, JSON.stringify(edits));
    else sessionStorage.removeItem(UNSAVED);
  } catch {
    // A browser without room: they last as long as the view.
  }
}
