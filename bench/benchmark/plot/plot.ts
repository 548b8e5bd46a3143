import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import type { Results } from "../results.ts";
import { bundleSizePicture } from "./bundle-size.ts";
import { callsPicture } from "./calls.ts";
import { distancePicture } from "./distance.ts";
import { edgeRatiosPicture } from "./edge-ratios.ts";
import { excessPicture } from "./excess.ts";
import { redisCpuPicture } from "./redis-cpu.ts";
import { throughputPicture } from "./throughput.ts";
import { wronglyDeniedPicture } from "./wrongly-denied.ts";

/** By the name of its file: a picture of the results, or `undefined` if they lack its figures. */
export const PICTURES: Readonly<Record<string, (results: Results) => string | undefined>> = {
  trips: callsPicture,
  "wrongly-denied": wronglyDeniedPicture,
  workerd: throughputPicture,
  redis: redisCpuPicture,
  edge: edgeRatiosPicture,
  bundle: bundleSizePicture,
  distance: distancePicture,
  excess: excessPicture,
};

export async function writePlots(folder: string, results: Results): Promise<void> {
  for (const [name, pictureOf] of Object.entries(PICTURES)) {
    const picture = pictureOf(results);
    if (picture !== undefined) await writeFile(join(folder, `${name}.svg`), picture);
  }
}
