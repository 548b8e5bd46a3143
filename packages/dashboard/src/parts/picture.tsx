import { useState } from "hono/jsx/dom";

import { Chart, type ChartProps } from "./chart.tsx";
import { moment, sum } from "./format.ts";
import { plain } from "./plain.ts";
import { Table } from "./table.tsx";

interface PictureProps extends Omit<ChartProps, "onPoint" | "label"> {
  readonly title: string;
  /** The legend of a series where the pointer is at no moment. Default: its sum. */
  readonly summary?: (values: readonly (number | null)[], series: number) => string;
}

/** A chart with its title, its legend, and its numbers as a table. */
export function Picture({ title, summary, ...chart }: PictureProps) {
  const { times, series, format, growsFrom } = chart;
  const [point, setPoint] = useState<number | undefined>(undefined);
  const say: NonNullable<typeof summary> =
    summary ?? ((values) => format(sum(values.map((value) => value ?? 0))));
  const at = point === undefined ? undefined : times[point];
  const said = series.map(({ label, values }, i) => `${plain(label)} ${say(values, i)}`).join(", ");
  return (
    <section class="card picture" aria-label={title}>
      <header>
        <h2>{title}</h2>
        <span class="muted at">{at === undefined ? "" : moment(new Date(at).toISOString())}</span>
      </header>
      <ul class="legend">
        {series.map(({ label, colour, values }, i) => (
          <li>
            <i
              class={colour === "--passed" ? "swatch striped" : "swatch"}
              style={`--colour: var(${colour})`}
            />
            <span class="name">{plain(label)}</span>
            <b>{point === undefined ? say(values, i) : shown(values[point], format)}</b>
          </li>
        ))}
      </ul>
      {growsFrom !== undefined && <p class="muted grows">Paler: counts that may still grow</p>}
      <Chart {...chart} label={`${title}: ${said}`} onPoint={setPoint} />
      <Numbers title={title} {...chart} />
    </section>
  );
}

function shown(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? "–" : format(value);
}

function Numbers({
  title,
  times,
  series,
  format,
  growsFrom = Infinity,
}: Omit<PictureProps, "summary" | "kind">) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event: Event) => setOpen((event.currentTarget as HTMLDetailsElement).open)}>
      <summary>Numbers</summary>
      {isOpen && (
        <Table
          caption={`${title}, as numbers`}
          empty="Nothing was counted."
          columns={[
            {
              title: "time",
              cell: (i: number) => {
                const ends = times[i + 1] ?? Infinity;
                const said = moment(new Date(times[i]!).toISOString());
                return ends > growsFrom ? `${said}, may still grow` : said;
              },
            },
            ...series.map(({ label, values }) => ({
              title: plain(label),
              isNumber: true,
              cell: (i: number) => shown(values[i], format),
            })),
          ]}
          rows={times.map((_, i) => times.length - 1 - i)}
        />
      )}
    </details>
  );
}
