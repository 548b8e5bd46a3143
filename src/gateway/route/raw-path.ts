/**
 * The path of a request as it was sent, for Hono. Its own reading decodes a path, and throws and catches an error for each
 * escape that is not UTF-8: a client could make that take 40 ms. The gateway's own paths need no escapes.
 */
export function rawPath({ url }: Request): string {
  // Behind "https://" there is the first slash of the path.
  const start = url.indexOf("/", url.indexOf(":") + 3);
  return /^[^?#]*/.exec(url.slice(start))![0];
}
