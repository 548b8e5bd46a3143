import { bars } from "../../../plot/bars.ts";
import type { Colour } from "../../../plot/colours.ts";
import { draw } from "../../../plot/picture.ts";
import { SETUPS, type SetupName, type SurgeResults } from "../../results.ts";
import { count, duration } from "../numbers.ts";
import { NAMES } from "../titles.ts";

/** How many riders get the ride that they opened the app for, with each set-up. */
export function ridersPicture(results: SurgeResults): string {
  const { without, with: limited } = results;
  return draw({
    title:
      `${count(limited.ridersServed)} of ${count(limited.riders)} riders get a ride with all layers, ` +
      `${count(without.ridersServed)} without a limiter`,
    note: "Riders who got a ride, and how long half of them waited for it at most, over all attempts.",
    panels: [
      {
        plot: bars({
          most: without.riders,
          names: SETUPS.map((name) => NAMES[name]),
          bars: SETUPS.map((name) => ({
            name: NAMES[name],
            colour: colourOf(name),
            value: results[name].ridersServed,
            label: `${count(results[name].ridersServed)}, ${duration(results[name].waitedP50Ms)}`,
          })),
        }),
      },
    ],
  });
}

function colourOf(setup: SetupName): Colour {
  if (setup === "without") return "bad";
  return setup.startsWith("upstash") ? "peer" : "good";
}
