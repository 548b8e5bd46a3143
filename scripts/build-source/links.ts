import { posix } from "node:path";

import { pageOf } from "../support/source-address.ts";

/**
 * A document that leaves the project, for a registry's page or for somebody's folder. Its links to files of the project lead to
 * their pages at the source's address, or to the files themselves while there is no address.
 *
 * @param path of the document
 * @param before the address for which its links were built last
 */
export function withLinks(
  document: string,
  path: string,
  before: string | undefined,
  address: string | undefined,
): string {
  const folder = posix.dirname(path);
  return document.replaceAll(/\]\(([^)\s#]+)(#[^)\s]*)?\)/g, (link, target: string, hash = "") => {
    const file = fileOf(target, folder, before);
    if (file === undefined) return link;
    const built = address === undefined ? posix.relative(folder, file) : pageOf(file, address);
    return `](${built}${hash})`;
  });
}

/** The file of the project that a link from this folder leads to, if it is outside of the folder. */
function fileOf(target: string, folder: string, before: string | undefined): string | undefined {
  if (target.startsWith("../")) return posix.join(folder, target);
  if (before === undefined || !target.startsWith(`${before}/`)) return undefined;
  return target.slice(before.length + 1).replace(/^(?:blob|tree)\/main\//, "");
}
