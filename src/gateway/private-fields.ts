/** What a platform hands to the code that runs on it, and what opens a protected deployment or a preview. */
const CREDENTIALS =
  /^(?:x-vercel-(?:internal-|oidc-|protection-bypass|proxy-signature|sc-|set-bypass-|trusted-oidc-)|cf-workers-preview-token$)/;

/** By these a client names another address than the one that was limited: some origins take it, also from CGI's names. */
const OTHER_ADDRESS = /^x[-_](?:original|rewrite)[-_]url$/;

/** In `Forwarded`, Vercel repeats its proxy's signature. */
const SIGNATURE = /;\s*sig=(?:"[^"]*"|[^;,]*)|\bsig=(?:"[^"]*"|[^;,]*)(?:;\s*)?/gi;

/** Takes away what is not for an origin: credentials of the platform, and a client's word on another address. */
export function stripPrivate(headers: Headers): void {
  const names = [...headers.keys()];
  for (const name of names) {
    if (CREDENTIALS.test(name) || OTHER_ADDRESS.test(name)) headers.delete(name);
  }
  const forwarded = headers.get("forwarded");
  if (forwarded && /sig=/i.test(forwarded)) {
    headers.set("forwarded", forwarded.replaceAll(SIGNATURE, ""));
  }
}
