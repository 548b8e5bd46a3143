import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { type Figure, meets } from "./figure.ts";
import type { Results } from "./results.ts";
import { significant } from "./table.ts";

const WIDTH = 920;
const LABELS = 470;
const ROW = 22;
const TOP = 64;

/** A chart per part: each ratio to a peer as a bar, 1 as a line, the spread as a whisker, the target as a tick. */
export async function writePlots(folder: string, { parts }: Results): Promise<void> {
  for (const [part, figures] of Object.entries(parts)) {
    const compared = figures.filter(({ peer, ratio }) => peer && ratio);
    if (compared.length > 0) await writeFile(join(folder, `${part}.svg`), chart(part, compared));
  }
}

function chart(part: string, figures: readonly Figure[]): string {
  const most = Math.max(1.2, ...figures.map(({ ratio }) => Math.min(3, ratio!.max)));
  const x = (ratio: number) => LABELS + (Math.min(ratio, most) / most) * (WIDTH - LABELS - 70);
  const height = TOP + figures.length * ROW + 16;
  const bars = figures.map((figure, i) => bar(figure, TOP + i * ROW, x));
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Tidegate compared with its peers: ${part}">
  <style>
    text { fill: #24292f } .quiet { fill: #6e7781 } .axis { stroke: #8c959f }
    .bar { fill: #4c8dd6 } .short { fill: #d98a3d } .spread { stroke: #24292f } .target { stroke: #1a7f37; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .quiet { fill: #8d96a0 } .spread { stroke: #e6edf3 } .target { stroke: #3fb950 }
    }
  </style>
  <text x="12" y="24" font-size="16">${part}: Tidegate's figure through its peer's</text>
  <text x="12" y="44" class="quiet">whisker: smallest and largest of the pairs; green: target; orange: target missed</text>
  <line class="axis" x1="${x(1)}" x2="${x(1)}" y1="${TOP - 8}" y2="${height - 12}"/>
  <text class="quiet" x="${x(1)}" y="${TOP - 12}" text-anchor="middle">1</text>
${bars.join("\n")}
</svg>
`;
}

function bar(figure: Figure, y: number, x: (ratio: number) => number): string {
  const { name, peer, target } = figure;
  const { median, min, max } = figure.ratio!;
  const middle = y + ROW / 2 - 2;
  const missed = meets(figure) === false && target?.of === "ratio";
  const tick =
    target?.of === "ratio"
      ? `<line class="target" x1="${x(target.value)}" x2="${x(target.value)}" y1="${y}" y2="${y + 18}"/>`
      : "";
  return `  <text x="${LABELS - 8}" y="${middle + 4}" text-anchor="end">${escape(name)} <tspan class="quiet">/ ${escape(peer!.name)}</tspan></text>
  <rect class="bar${missed ? " short" : ""}" x="${x(0)}" y="${y + 2}" width="${(x(median) - x(0)).toFixed(1)}" height="14" rx="2"/>
  <line class="spread" x1="${x(min).toFixed(1)}" x2="${x(max).toFixed(1)}" y1="${middle}" y2="${middle}"/>
  ${tick}<text x="${WIDTH - 8}" y="${middle + 4}" text-anchor="end">${significant(median)}</text>`;
}

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
