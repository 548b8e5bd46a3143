/** Ends a request whose client has gone. The status, which is nginx's for this, is for logs: the answer reaches no client. */
export function goneResponse(): Response {
  return new Response(null, { status: 499 });
}
