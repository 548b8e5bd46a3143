import { foldFieldName, type IsImitation } from "../../partition/field-names.ts";
import { isAboutClient } from "./client-fields.ts";

/** Fields that the gateway and its platform read, set or remove, in the spelling that names are folded to. */
const OWN =
  /^(?:access-control-|cf-|content-(?:encoding|length|type)$|keep-alive$|proxy-|tidegate-|transfer-encoding$|true-client-ip$|x-(?:http-)?method(?:-override)?$|x-(?:original|rewrite)-url$|x-forwarded-|x-real-ip$|x-vercel-)/;

/**
 * Whether some origins take a field for another one, which the rules or the gateway itself read by its exact name.
 *
 * @param name in lower case
 * @param isImitation whether it passes for one that the rules and lists in force read
 */
export function imitates(name: string, isImitation: IsImitation): boolean {
  if (isImitation(name)) return true;
  const folded = foldFieldName(name);
  return folded !== name && (OWN.test(folded) || isAboutClient(folded));
}
