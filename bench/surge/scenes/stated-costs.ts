import { readFile } from "node:fs/promises";

/** The figures that docs/guarantees.md states for an algorithm, at a limit of 1,000. */
export interface StatedCost {
  /** Redis commands of a decision. */
  readonly commandsOfAllow: number;
  readonly commandsOfDenial: number;
  readonly bytesPerKey: number;
}

/** Reads the table below "What it costs", so that no figure is stated twice. */
export async function statedCosts(): Promise<(algorithm: string) => StatedCost> {
  const text = await readFile(new URL("../../../docs/guarantees.md", import.meta.url), "utf8");
  return (algorithm) => {
    const row = new RegExp(`^\\| \`${algorithm}\` +\\| (\\d+) / (\\d+) +\\| ([\\d,]+)`, "m").exec(
      text,
    );
    if (!row) throw new Error(`docs/guarantees.md does not state what ${algorithm} costs`);
    const [allow, denial, bytes] = row.slice(1).map((cell) => Number(cell.replaceAll(",", "")));
    return { commandsOfAllow: allow!, commandsOfDenial: denial!, bytesPerKey: bytes! };
  };
}
