import { foldFieldName, type IsImitation } from "../../partition/field-names.ts";

/** Fields that the gateway and its platform read, set or remove, in the spelling that names are folded to. */
const OWN =
  /^(?:access-control-|cf-|content-(?:encoding|length|type)$|keep-alive$|proxy-|tidegate-|transfer-encoding$|true-client-ip$|x-(?:http-)?method(?:-override)?$|x-(?:original|rewrite)-url$|x-forwarded-|x-real-ip$|x-vercel-)/;

/**
 * Removes the fields that some origins take for another one, which the rules or the gateway itself read by its exact name.
 *
 * @param isImitation whether a field passes for one that the rules and lists in force read
 */
export function dropImitations(headers: Headers, isImitation: IsImitation): void {
  const names = [...headers.keys()];
  for (const name of names) {
    const folded = foldFieldName(name);
    if (isImitation(name) || (folded !== name && OWN.test(folded))) headers.delete(name);
  }
}
