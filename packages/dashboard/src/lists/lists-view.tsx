import type { Entry } from "../api/answers.ts";
import { type Loaded, useAnswer } from "../live/use-answer.ts";
import { Answered, Failed } from "../parts/states.tsx";
import { AddEntry } from "./add-entry.tsx";
import { EntryTable } from "./entry-table.tsx";
import { type ListPath, LISTS } from "./list-paths.ts";

interface Entries {
  readonly entries: readonly Entry[];
}

const PATHS = Object.keys(LISTS) as ListPath[];

export function ListsView() {
  const lists = PATHS.map((path) => useAnswer<Entries>(`/${path}`));
  // A gateway that has none of them says why once.
  const missing = lists.find(({ error }) => error?.isMissing)?.error;
  return (
    <>
      <h1>Lists and overrides</h1>
      <p class="muted">
        To change an entry of the document, publish another document. Entries that single calls made
        are in force beside them.
      </p>
      {missing ? (
        <Failed error={missing} />
      ) : (
        PATHS.map((path, i) => <List path={path} entries={lists[i]!} />)
      )}
    </>
  );
}

interface ListProps {
  readonly path: ListPath;
  readonly entries: Loaded<Entries>;
}

function List({ path, entries }: ListProps) {
  const { title, note } = LISTS[path];
  return (
    <section class="card" aria-label={title}>
      <h2>{title}</h2>
      <p class="muted">{note}</p>
      <Answered of={entries} what={title.toLowerCase()}>
        {(data) => (
          <EntryTable path={path} title={title} entries={data.entries} reload={entries.reload} />
        )}
      </Answered>
      <AddEntry path={path} title={title} reload={entries.reload} />
    </section>
  );
}
