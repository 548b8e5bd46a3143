import { writeFile } from "node:fs/promises";
import { dirname, join, parse } from "node:path";

import type { SurgeResults } from "../results.ts";
import { pageOf } from "./page.ts";
import { PICTURES } from "./pictures/pictures.ts";
import { requireScenes } from "./require-scenes.ts";

/**
 * Writes the pictures and the page beside the file of the results: surge-queue.svg and surge.html beside surge.json.
 *
 * @throws Error naming the figures that the results lack
 */
export async function writeReport(file: string, results: SurgeResults): Promise<void> {
  requireScenes(results);
  const beside = join(dirname(file), parse(file).name);
  for (const [name, draw] of Object.entries(PICTURES)) {
    await writeFile(`${beside}-${name}.svg`, draw(results));
  }
  await writeFile(`${beside}.html`, pageOf(results));
}
