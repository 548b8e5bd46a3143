/** Lists that several limiters on one path add to: what is there stays, ours come after. */
const LISTS = new Set(["ratelimit", "ratelimit-policy"]);
const NO_LISTS = new Set<string>();

/** These are of one policy together: a part of them from here and a part from there would say nothing. */
const TRIPLE = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/** Adds a decision's fields to a response without overwriting what it says already; several limiters make a list. */
export function appendFields(response: Response, fields: Headers): Response {
  return withFields(response, fields, LISTS);
}

/** Adds the fields that a response of this decision's own does not have yet. */
export function addMissingFields(response: Response, fields: Headers): Response {
  return withFields(response, fields, NO_LISTS);
}

function withFields(response: Response, fields: Headers, lists: ReadonlySet<string>): Response {
  // A response that switches protocols carries its socket: it cannot be built anew, and has no use for the fields.
  if (response.status === 101) return response;
  // Built anew, because nobody can change the fields of a response that fetch gave.
  const told = new Response(response.body, response);
  const { headers } = told;
  const taken = TRIPLE.some((name) => headers.has(name)) ? TRIPLE : [];
  for (const [name, value] of fields) {
    if (lists.has(name)) headers.append(name, value);
    else if (!headers.has(name) && !taken.includes(name)) headers.set(name, value);
  }
  return told;
}
