import type { Entry } from "../api/answers.ts";
import { useAnswer } from "../live/use-answer.ts";
import { Answered } from "../parts/states.tsx";
import { AddEntry } from "./add-entry.tsx";
import { EntryTable } from "./entry-table.tsx";
import { type ListPath, LISTS } from "./list-paths.ts";

export function ListsView() {
  return (
    <>
      <h1>Lists and overrides</h1>
      <p class="muted">
        To change an entry of the document, publish another document. Entries that single calls made
        are in force beside them.
      </p>
      {(Object.keys(LISTS) as ListPath[]).map((path) => (
        <List path={path} />
      ))}
    </>
  );
}

function List({ path }: { readonly path: ListPath }) {
  const entries = useAnswer<{ readonly entries: readonly Entry[] }>(`/${path}`);
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
