/** Lists that several limiters on one path add to: an origin's values stay, ours come after. */
const LISTS = new Set(["ratelimit", "ratelimit-policy"]);

/** Adds a decision's fields to a response without overwriting what it says already. */
export function appendFields(response: Response, fields: Headers): Response {
  // A response that switches protocols carries its socket: it cannot be built anew, and has no use for the fields.
  if (response.status === 101) return response;
  const told = new Response(response.body, response);
  for (const [name, value] of fields) {
    if (LISTS.has(name)) told.headers.append(name, value);
    else if (!told.headers.has(name)) told.headers.set(name, value);
  }
  return told;
}
