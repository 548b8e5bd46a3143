import type { Faults } from "../../options/faults.ts";
import { isNear } from "../../options/unknown-options.ts";
import type { Environment } from "../../runtime/environment.ts";
import { MISSPELT_VARIABLE } from "../rules/variable-messages.ts";
import { VARIABLES } from "./variable-shapes.ts";

const NAMES = Object.keys(VARIABLES);

/**
 * Adds a fault for each variable that looks like a misspelt one of the gateway. An environment also has variables of other
 * programs, so only a missing one can be misspelt, and not by another word (CLIENT_ID, ORIGINS).
 */
export function reportMisspelt(environment: Environment, faults: Faults): void {
  const missing = NAMES.filter((name) => environment[name] === undefined);
  for (const key of Object.keys(environment)) {
    if (NAMES.includes(key) || environment[key] === undefined) continue;
    const meant = missing.find((name) => isMisspelt(key, name));
    // Its value may be the token.
    if (meant) faults.add(key, "(hidden)", MISSPELT_VARIABLE, meant);
  }
}

/** Whether the names differ only in case, in separators, or in one letter that is added, missing or misplaced. */
function isMisspelt(key: string, name: string): boolean {
  const [a, b] = [key, name].map((text) => text.toUpperCase().replace(/[^A-Z0-9]/g, ""));
  if (a === b) return true;
  // To a name of four letters too many others are near: CORES may be the number of processors.
  if (a === `${b}S` || b!.length < 5) return false;
  return a!.length === b!.length
    ? [...a!].sort().join() === [...b!].sort().join() && isNear(a!, b!, 2)
    : isNear(a!, b!, 1);
}
