import { type Command, InvalidArgumentError } from "commander";

import { wholeNumber } from "../../scripts/support/arguments.ts";
import {
  type Measured,
  type MeasuringOptions,
  measuringProgram,
} from "../support/measuring-program.ts";
import { writeResultsFile } from "../support/results-file.ts";
import type { SurgeOptions } from "./play.ts";
import { isWhole, PARTS, readResults, type SurgeResults } from "./results.ts";
import { surgeText } from "./table.ts";

export function surgeProgram(): Command {
  return measuringProgram({
    call: "npm run surge --",
    description:
      "Sends the riders of an incident against an API, without a limiter and with each layer of it, " +
      "then plays scenes in which limiters go wrong. docs/surge.md says what the figures mean.",
    examples: [
      "npm run surge",
      "npm run surge -- --short",
      "npm run surge -- --only boundaryBurst --out burst.json",
      "npm run surge -- --seed 2 --share 0.3 --out other.json",
      "npm run surge -- --redraw",
    ],
    parts: PARTS,
    file: "bench/surge.json",
    // Figures of a short run have no meaning, and those of a part are incomplete: neither replaces complete ones.
    unwritten: "--short or --only",
    measure,
    redraw: async (file) => drawPictures(file, await readResults(file)),
  })
    .option("--seed <number>", "draws the riders", wholeNumber, 1)
    .option("--share <number>", "of 2,000 riders and their service's capacity", shareOf, 0.5);
}

function shareOf(text: string): number {
  const number = Number(text);
  if (number > 0 && number <= 1) return number;
  throw new InvalidArgumentError("It is a number above 0 and at most 1.");
}

/** Drawing brings a browser's document, which takes longer to load than all else that most calls need. */
async function drawPictures(file: string, results: SurgeResults): Promise<void> {
  const { writePictures } = await import("./pictures.ts");
  await writePictures(file, results);
}

async function measure(options: MeasuringOptions & SurgeOptions): Promise<Measured> {
  // It brings the limiters and their servers, which a call for help does not need.
  const { playSurge } = await import("./play.ts");
  const results = await playSurge(options);
  return {
    results,
    text: (columns) => surgeText(results, columns),
    complete: !options.short && isWhole(results),
    async write(file) {
      await writeResultsFile(file, results);
      if (isWhole(results)) await drawPictures(file, results);
    },
  };
}
