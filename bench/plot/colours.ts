/** The meaning of each colour, with one that reads on light ground and one that reads on dark ground. */
const PALETTE = {
  /** Tidegate, and the requests that it admits. */
  good: ["#0969da", "#58a6ff"],
  /** Tidegate with one more of its options. */
  better: ["#1a7f37", "#3fb950"],
  denied: ["#9a6700", "#d29922"],
  /** Failures, and the figures without a limiter. */
  bad: ["#bf3989", "#f778ba"],
  other: ["#8250df", "#bc8cff"],
  another: ["#bc4c00", "#f0883e"],
  /** Peers. */
  peer: ["#636c76", "#9198a1"],
  ink: ["#1f2328", "#e6edf3"],
} as const;

export type Colour = keyof typeof PALETTE;

/** As a picture names it; `STYLE` says what it is on which ground. */
export function paint(colour: Colour): string {
  return `var(--${colour})`;
}

/** The style that a picture carries, as a file that is shown by `<img>` sees no other. */
export const STYLE = `
.picture { ${variables(0)} color: var(--ink); }
@media (prefers-color-scheme: dark) { .picture { ${variables(1)} } }
`;

function variables(ground: 0 | 1): string {
  return Object.entries(PALETTE)
    .map(([name, values]) => `--${name}: ${values[ground]};`)
    .join(" ");
}
