import { type Decision, setFieldsOf } from "../decide/decision.ts";
import type { FieldTarget } from "../decide/header-fields.ts";

/** Lists that several limiters on one path extend: existing items stay, ours follow. */
const LISTS = ["RateLimit", "RateLimit-Policy"];
const NO_LISTS: readonly string[] = [];

/** These three describe one policy together, so they are not mixed with those that a response has already. */
const TRIPLE = ["X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"];

/** Adds the fields of a decision and overwrites nothing; the two lists get its items after theirs. */
export function appendFields(response: Response, decision: Decision): Response {
  return withFields(response, decision, LISTS);
}

/** Adds the fields of a decision to a response made for it, except those that the response sets itself. */
export function addMissingFields(response: Response, decision: Decision): Response {
  return withFields(response, decision, NO_LISTS);
}

/** Adds the fields of a decision to those of an answer that is no response, as `appendFields()` does. */
export function appendFieldsTo(fields: AnswerFields, decision: Decision): void {
  setFieldsOf(decision, besideTheirs(fields, LISTS));
}

/** The fields of an answer, to which others are added. */
export type AnswerFields = Pick<Headers, "has" | "append" | "set" | "delete">;

function withFields(response: Response, decision: Decision, lists: readonly string[]): Response {
  // A response that switches protocols carries its socket: it cannot be copied, and has no use for the fields.
  if (response.status === 101) return response;
  // A copy, because the fields of a response from fetch are immutable.
  const copy = new Response(response.body, response);
  setFieldsOf(decision, besideTheirs(copy.headers, lists));
  return copy;
}

/** Fields are set here one by one: runtimes take several times longer to read them from a `Headers` in between. */
function besideTheirs(headers: AnswerFields, lists: readonly string[]): FieldTarget {
  const theirs = TRIPLE.some((name) => headers.has(name)) ? TRIPLE : [];
  return {
    set(name, value) {
      if (lists.includes(name)) headers.append(name, value);
      else if (!theirs.includes(name) && !headers.has(name)) headers.set(name, value);
    },
  };
}
