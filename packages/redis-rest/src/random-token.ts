import { randomBytes } from "node:crypto";

/** A token for one run of a bridge, of characters that a header, a shell and an environment take as they are. */
export function randomToken(): string {
  return randomBytes(24).toString("base64url");
}
