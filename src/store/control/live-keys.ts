/**
 * The keys of live rules. They have one hash tag, so that one script can write them together; no partition has it, because a
 * partition key that begins with `#` has 43 more characters.
 */
export interface LiveKeys {
  /** A hash: `revision`, `version`, `publishedAt`, `document`; `trial` and its terms, document and counts. */
  readonly state: string;
  /** A hash of the entries made by single calls. */
  readonly entries: string;
  /** A hash of the newest versions by their numbers. */
  readonly history: string;
  readonly draft: string;
  /** A list, newest first. */
  readonly audit: string;
}

export function liveKeys(prefix: string): LiveKeys {
  const key = (name: string) => `${prefix}:{#live}:${name}`;
  return {
    state: key("state"),
    entries: key("entries"),
    history: key("history"),
    draft: key("draft"),
    audit: key("audit"),
  };
}
