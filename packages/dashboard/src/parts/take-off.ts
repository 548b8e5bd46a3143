import type { Entry } from "../api/answers.ts";
import type { ApiError } from "../api/api.ts";
import type { Session } from "../api/session.ts";
import { entryName } from "./entry-name.ts";
import { clipped } from "./plain.ts";

/** The entry that a call puts, and the one that it takes back. */
type Kept = Omit<Entry, "id" | "at" | "by" | "source">;

interface Words {
  /** The words before the client's name once the entry is gone, and once it is there again. */
  readonly gone: string;
  readonly again: string;
}

/** Takes an entry off its list, says so, and offers to put it back as it was. Throws an ApiError if it stays. */
export async function takeOff(
  { api, say }: Session,
  path: string,
  entry: Kept & Partial<Entry>,
  { gone, again }: Words,
  changed: () => void,
): Promise<void> {
  const { id, at: _at, by: _by, source: _source, ...body } = entry;
  const name = clipped(entryName(entry));
  await (id === undefined
    ? api.send("DELETE", `/${path}`, { body })
    : api.send("DELETE", `/${path}?id=${id}`));

  async function putBack(): Promise<void> {
    try {
      await api.send("PUT", `/${path}`, { body });
      say(`${again}: ${name}`);
    } catch (error) {
      say(`It was not put back: ${(error as ApiError).message}`);
    }
    changed();
  }
  say(`${gone}: ${name}`, { verb: "Undo", act: putBack });
  changed();
}
