import type { Faults } from "../../options/faults.ts";
import { positionOfFault } from "../../options/json-fault.ts";
import { check } from "../rules/check-shape.ts";
import { fromJson } from "../rules/from-json.ts";
import { CORS_TEXT } from "../rules/variable-messages.ts";
import { CorsOptions } from "./cors-options.ts";
import { compileCors, type Cors } from "./cors.ts";

/** Checks the variable CORS and compiles it; `undefined` without it, where the origin answers browsers, and after a fault. */
export function readCors(value: unknown, faults: Faults): Cors | undefined {
  if (value === undefined) return undefined;
  const options = fromJson(value);
  if (options instanceof SyntaxError) {
    faults.add("CORS", value, CORS_TEXT, positionOfFault(options));
    return undefined;
  }
  const checked = check(CorsOptions, options, "CORS", faults);
  return checked && compileCors(checked);
}
