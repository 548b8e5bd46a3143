/** Credentials that a platform gives to its code, or that open a protected deployment or a preview. */
const CREDENTIALS =
  /^(?:x-vercel-(?:internal-|oidc-|protection-bypass|proxy-signature|sc-|set-bypass-|trusted-oidc-)|cf-workers-preview-token$)/;

/** Fields by which a client names another address than the limited one. Some origins obey, also in CGI's spelling. */
const OTHER_ADDRESS = /^x[-_](?:original|rewrite)[-_]url$/;

/** Vercel repeats its proxy's signature in `Forwarded`. */
const SIGNATURE = /;\s*sig=(?:"[^"]*"|[^;,]*)|\bsig=(?:"[^"]*"|[^;,]*)(?:;\s*)?/gi;

/** Removes fields that the origin must not get: credentials of the platform, and those that name another address. */
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
