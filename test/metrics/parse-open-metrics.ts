/** The content of a text in the OpenMetrics format. */
export interface ParsedMetrics {
  /** Types by the names of families. */
  readonly families: ReadonlyMap<string, string>;
  /** By name and labels as they are written. */
  readonly samples: ReadonlyMap<string, number>;
}

const LABEL = /[a-z_]+="(?:[^"\\\n]|\\["\\n])*"/.source;
const SAMPLE = new RegExp(`^(([a-z_]+)(?:\\{${LABEL}(?:,${LABEL})*\\})?) (\\S+)$`);

/** The suffixes that samples of a family have. */
const SUFFIXES: Readonly<Record<string, readonly string[]>> = {
  counter: ["_total"],
  gauge: [""],
  histogram: ["_bucket", "_count", "_sum"],
};

/** Reads OpenMetrics, and throws if Tidegate's text violates the format. */
export function parseOpenMetrics(text: string): ParsedMetrics {
  if (!text.endsWith("\n# EOF\n")) throw new Error("no end");
  const families = new Map<string, string>();
  const samples = new Map<string, number>();
  let current = "";
  for (const line of text.slice(0, -"# EOF\n".length).split("\n").slice(0, -1)) {
    const [, keyword, name, rest] = /^# (TYPE|UNIT|HELP) ([a-z_]+) (.+)$/.exec(line) ?? [];
    if (keyword === "TYPE") {
      if (families.has(name!) || !SUFFIXES[rest!]) throw new Error(`family: ${line}`);
      families.set((current = name!), rest!);
    } else if (keyword !== undefined) {
      if (name !== current || (keyword === "UNIT" && !name.endsWith(`_${rest}`)))
        throw new Error(line);
    } else {
      const [, sample, own, value] = SAMPLE.exec(line) ?? [];
      const isKnown = SUFFIXES[families.get(current)!]!.some((end) => own === current + end);
      if (!isKnown || samples.has(sample!) || !Number.isFinite(Number(value)))
        throw new Error(`sample: ${line}`);
      samples.set(sample!, Number(value));
    }
  }
  return { families, samples };
}
