import { statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The fields of a package.json about its source. */
export interface Repository {
  readonly type: string;
  readonly url: string;
  readonly directory?: string;
}

/**
 * The address of the source, such as `https://git.example/owner/name`. `repository` of the project's package.json alone says it: until
 * it is there, nothing links to the source.
 */
export function sourceAddress(manifest: { readonly repository?: Repository }): string | undefined {
  return manifest.repository?.url.replace(/^git\+/, "").replace(/\.git$/, "");
}

/** The page of a file or a folder of the project, by its path from the project's folder. */
export function pageOf(path: string, address: string): string {
  const isFolder = statSync(join(ROOT, path)).isDirectory();
  return `${address}/${isFolder ? "tree" : "blob"}/main/${path}`;
}
