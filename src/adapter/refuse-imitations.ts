import { problemResponse } from "../decide/problem.ts";
import { compileIsImitation } from "../partition/field-names.ts";

/** Refuses a request by the names of its fields, in lower case; `undefined` if there is nothing to refuse. */
export type RefuseImitations = (names: Iterable<string>) => Response | undefined;

/**
 * Compiles the refusal of requests with a field that some servers take for one that the limiter reads by its exact name:
 * behind the handler there may be such a server. `undefined` if no such field is possible, so that no name is looked at.
 *
 * Neither reading it nor leaving it aside would do. If the limiter counted `X_Api_Key` as `X-Api-Key`, a client could show a second
 * key to a handler that reads exact names; if it did not, to a server that doesn't.
 *
 * @param fields the names that the limiter reads, in lower case
 */
export function compileRefuseImitations(fields: readonly string[]): RefuseImitations | undefined {
  // Such names have no imitations: only other characters are folded.
  if (!fields.some((name) => /[^a-z0-9]/.test(name))) return undefined;
  const isImitation = compileIsImitation(fields);
  return (names) => {
    for (const name of names) if (isImitation(name)) return refusal();
    return undefined;
  };
}

function refusal(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Bad Request",
    status: 400,
    detail:
      "The request has a header field whose name some servers read as another one, such as X_Api_Key as X-Api-Key.",
  });
}
