/** Lists that several limiters on one path extend: existing items stay, ours follow. */
const LISTS = new Set(["ratelimit", "ratelimit-policy"]);
const NO_LISTS = new Set<string>();

/** These three describe one policy together, so they are not mixed with those that a response has already. */
const TRIPLE = ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"];

/** Adds the fields of decisions in order and overwrites nothing; the two lists get the items of all decisions. */
export function appendFields(response: Response, ...decisions: readonly Headers[]): Response {
  return withFields(response, decisions, LISTS);
}

/** Adds the fields of a decision to a response made for it, except those that the response sets itself. */
export function addMissingFields(response: Response, decision: Headers): Response {
  return withFields(response, [decision], NO_LISTS);
}

function withFields(
  response: Response,
  decisions: readonly Headers[],
  lists: ReadonlySet<string>,
): Response {
  // A response that switches protocols carries its socket: it cannot be copied, and has no use for the fields.
  if (decisions.length === 0 || response.status === 101) return response;
  // A copy, because the fields of a response from fetch are immutable.
  const copy = new Response(response.body, response);
  const { headers } = copy;
  for (const fields of decisions) {
    const taken = TRIPLE.some((name) => headers.has(name)) ? TRIPLE : [];
    for (const [name, value] of fields) {
      if (lists.has(name)) headers.append(name, value);
      else if (!headers.has(name) && !taken.includes(name)) headers.set(name, value);
    }
  }
  return copy;
}
