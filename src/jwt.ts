/**
 * Identities and plans by verified tokens: `import { claim, jwt } from "tidegate/jwt"`.
 *
 * @module
 */

export { claim, jwt } from "./features/jwt/jwt-feature.ts";
export type { JwtOptions } from "./features/jwt/jwt-options.ts";
