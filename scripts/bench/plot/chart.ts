export const WIDTH = 1120;
/** Where the bars begin. */
export const LABELS = 660;
/** Where they end. */
export const END = WIDTH - 80;
export const ROW = 22;
const TOP = 70;

const STYLE = `
    text { fill: #24292f } .quiet { fill: #6e7781 } .axis { stroke: #8c959f }
    .bar { fill: #4c8dd6 } .peer { fill: #afb8c1 } .short { fill: #d98a3d }
    .spread { stroke: #24292f } .target { stroke: #1a7f37; stroke-width: 2 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .quiet { fill: #8d96a0 } .peer { fill: #57606a }
      .spread { stroke: #e6edf3 } .target { stroke: #3fb950 }
    }`;

export interface Chart {
  readonly title: string;
  readonly legend: string;
  /** SVG of each row; given where it begins. */
  readonly rows: readonly ((y: number) => string)[];
  /** SVG behind the rows; given where they begin and end. */
  readonly axis?: (top: number, bottom: number) => string;
}

/** A chart with a label and bars in each row, readable on light and dark ground. */
export function chart({ title, legend, rows, axis }: Chart): string {
  const bottom = TOP + rows.length * ROW;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${bottom + 12}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="${escape(title)}">
  <style>${STYLE}
  </style>
  <text x="12" y="24" font-size="16">${escape(title)}</text>
  <text x="12" y="44" class="quiet">${escape(legend)}</text>
  ${axis?.(TOP, bottom) ?? ""}
${rows.map((row, i) => row(TOP + i * ROW)).join("\n")}
</svg>
`;
}

export function label(y: number, name: string, peer: string): string {
  return `  <text x="${LABELS - 8}" y="${y + 14}" text-anchor="end">${escape(name)} <tspan class="quiet">/ ${escape(peer)}</tspan></text>`;
}

export function valueAt(y: number, text: string): string {
  return `  <text x="${WIDTH - 8}" y="${y + 14}" text-anchor="end">${escape(text)}</text>`;
}

export function bar(kind: string, from: number, to: number, y: number, height: number): string {
  const width = Math.max(1, to - from).toFixed(1);
  return `  <rect class="${kind}" x="${from}" y="${y}" width="${width}" height="${height}" rx="2"/>`;
}

export function line(kind: string, [x1, y1]: Point, [x2, y2]: Point): string {
  return `  <line class="${kind}" x1="${x1.toFixed(1)}" y1="${y1}" x2="${x2.toFixed(1)}" y2="${y2}"/>`;
}

type Point = readonly [x: number, y: number];

function escape(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}
