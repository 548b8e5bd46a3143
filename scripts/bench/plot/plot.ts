import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Results } from "../results.ts";
import { isPair, pairChart } from "./pair-chart.ts";
import { isRatio, ratioChart } from "./ratio-chart.ts";

/** Charts of each part: of the ratios to peers, and of what has none because it may be nothing. */
export async function writePlots(folder: string, { parts }: Results): Promise<void> {
  for (const [part, { figures }] of Object.entries(parts)) {
    const shown = figures.filter(({ detail }) => !detail);
    const ratios = shown.filter(isRatio);
    if (ratios.length > 0) await writeFile(join(folder, `${part}.svg`), ratioChart(part, ratios));
    const pairs = shown.filter(isPair);
    if (pairs.length > 0) await writeFile(join(folder, `${part}.svg`), pairChart(part, pairs));
  }
}
