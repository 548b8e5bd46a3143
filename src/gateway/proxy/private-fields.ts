/**
 * Fields that the origin must not get: credentials that a platform gives to its code, or that open a protected deployment or
 * a preview; and those by which a client names another address than the limited one, also in CGI's spelling.
 */
const PRIVATE =
  /^(?:x-vercel-(?:internal-|oidc-|protection-bypass|proxy-signature|sc-|set-bypass-|trusted-oidc-)|cf-workers-preview-token$|x[-_](?:original|rewrite)[-_]url$)/;

/** @param name in lower case */
export function isPrivate(name: string): boolean {
  return PRIVATE.test(name);
}
