import { type Child, useMemo, useState } from "hono/jsx/dom";

import { count } from "./format.ts";

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Child;
  /** Right-aligned, with digits of one width. */
  readonly isNumber?: boolean;
}

interface TableProps<Row> {
  /** Names the table to a screen reader. */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly empty: string;
  /** The text that a filter looks in; without it there is no filter. */
  readonly textOf?: (row: Row) => string;
}

const PAGE = 50;

/** A table, a page at a time: a browser lays out fifty rows at once, however many there are. */
export function Table<Row>({ caption, columns, rows, empty, textOf }: TableProps<Row>) {
  const [filter, setFilter] = useState("");
  const [page, setPage] = useState(0);
  const found = useMemo(() => {
    const asked = filter.trim().toLowerCase();
    return asked === "" || !textOf
      ? rows
      : rows.filter((row) => textOf(row).toLowerCase().includes(asked));
  }, [rows, filter]);
  const pages = Math.max(1, Math.ceil(found.length / PAGE));
  const at = Math.min(page, pages - 1);
  const shown = found.slice(at * PAGE, (at + 1) * PAGE);
  if (rows.length === 0) return <p class="none">{empty}</p>;
  return (
    <div class="table">
      {textOf && rows.length > 10 && (
        <label class="filter">
          <span>Filter</span>
          <input
            type="search"
            value={filter}
            onInput={(event: Event) => {
              setFilter((event.target as HTMLInputElement).value);
              setPage(0);
            }}
          />
          <span class="muted" role="status">
            {found.length === rows.length
              ? count(rows.length)
              : `${count(found.length)} of ${count(rows.length)}`}
          </span>
        </label>
      )}
      <div class="scroll" role="region" aria-label={`Table: ${caption}`} tabindex={0}>
        <table class={columns.length > 3 ? "stacks" : ""}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              {columns.map(({ title, isNumber }) => (
                <th scope="col" class={isNumber ? "number" : ""}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map((row) => (
              <tr>
                {columns.map(({ title, cell, isNumber }) => (
                  <td class={isNumber ? "number" : ""} data-title={title}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {pages > 1 && <Pages caption={caption} at={at} pages={pages} go={setPage} />}
    </div>
  );
}

function Pages({
  caption,
  at,
  pages,
  go,
}: {
  readonly caption: string;
  readonly at: number;
  readonly pages: number;
  readonly go: (page: number) => void;
}) {
  return (
    <nav class="pages" aria-label={`Pages of ${caption}`}>
      <button type="button" disabled={at === 0} onClick={() => go(at - 1)}>
        Previous
      </button>
      <span role="status">
        {at + 1} of {pages}
      </span>
      <button type="button" disabled={at === pages - 1} onClick={() => go(at + 1)}>
        Next
      </button>
    </nav>
  );
}
