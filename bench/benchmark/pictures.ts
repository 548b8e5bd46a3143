import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { distancePicture, excessPicture } from "./distance-pictures.ts";
import { regionsPicture } from "./regions-pictures.ts";
import type { Results } from "./results.ts";
import { callsPicture, wronglyDeniedPicture } from "./trips-pictures.ts";

/** By the name of its file: a picture of the results, or `undefined` if they lack its figures. */
export const PICTURES: Readonly<Record<string, (results: Results) => string | undefined>> = {
  trips: callsPicture,
  "wrongly-denied": wronglyDeniedPicture,
  distance: distancePicture,
  excess: excessPicture,
  regions: regionsPicture,
};

export async function writePictures(folder: string, results: Results): Promise<void> {
  for (const [name, pictureOf] of Object.entries(PICTURES)) {
    const picture = pictureOf(results);
    if (picture !== undefined) await writeFile(join(folder, `${name}.svg`), picture);
  }
}
