import { given, type MadeBy, optionValue, type SourceMakers } from "../../options/option-value.ts";
import { readClaim } from "../../partition/source-reader.ts";
import type { JwtOptions } from "./jwt-options.ts";
import { compileTokenReader, NO_READER } from "./read-token.ts";

/** Identities and plans by the claims of verified tokens. */
export const jwtFeature = { compile: compileTokenReader, none: NO_READER };

/**
 * Whose tokens are verified: JSON Web Tokens of an issuer, by its public keys or by a secret. A token needs an `exp`. One that fails
 * is no identity and names no plan.
 *
 * @example
 * rateLimit({
 *   policies,
 *   jwt: jwt({ jwks: "https://issuer.example.com/.well-known/jwks.json", audience: "https://api.example.com" }),
 *   partition: [claim("sub"), "ip"],
 * })
 */
export function jwt(options: JwtOptions): MadeBy<"jwt()"> {
  return optionValue("jwt", { jwt: given(options) }, { jwt: jwtFeature });
}

/**
 * A claim of the request's verified token, as a source of its identity: by its name, such as `sub`, or by its path, such as
 * `user.team`. Only texts and whole numbers count.
 *
 * @example
 * rateLimit({ policies, jwt: jwt({ jwks }), partition: [claim("org_id"), "ip"] })
 */
export function claim(name: string): MadeBy<SourceMakers> {
  return optionValue("partition", { partition: `jwt:${name}` }, { sources: { jwt: readClaim } });
}
