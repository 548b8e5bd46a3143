import { jwtFeature } from "../../features/jwt/jwt-feature.ts";
import type { TokenReader } from "../../features/jwt/read-token.ts";
import type { Faults } from "../../options/faults.ts";
import { positionOfFault } from "../../options/json-fault.ts";
import { isRecord } from "../../options/record.ts";
import type { Environment } from "../../runtime/environment.ts";
import { fromJson } from "../rules/from-json.ts";
import { JWT_TEXT } from "../rules/variable-messages.ts";

/**
 * Reads the tokens that the variables JWT and JWT_SECRET have verified; `undefined` without JWT. A JWT_SECRET alone may be that of
 * another program.
 */
export function readJwt(
  { JWT: variable, JWT_SECRET: secret }: Environment,
  faults: Faults,
): TokenReader | undefined {
  // Some platforms have an empty text for a variable that is not set.
  if (variable === undefined || variable === "") return undefined;
  const options = fromJson(variable);
  if (options instanceof SyntaxError) {
    faults.add("JWT", "(hidden)", JWT_TEXT, positionOfFault(options));
    return jwtFeature.none;
  }
  const hasSecret = isRecord(options) && secret !== undefined && secret !== "";
  return jwtFeature.compile(hasSecret ? { ...options, secret } : options, "JWT", faults);
}
