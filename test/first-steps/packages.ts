import { readFileSync } from "node:fs";

/** The packages that stand beside the library, by their folders. */
export const PACKAGES = [
  "cli",
  "create-tidegate",
  "dashboard",
  "redis-rest",
  "upstash-ratelimit",
] as const;

export type Beside = (typeof PACKAGES)[number];

export interface PackedManifest {
  readonly name: string;
  readonly version: string;
  readonly engines?: { readonly node: string };
}

/** What a package of `packages`, or the library, says about itself. */
export function manifestIn(folder?: Beside): PackedManifest {
  const file = folder === undefined ? "package.json" : `packages/${folder}/package.json`;
  return JSON.parse(readFileSync(file, "utf8")) as PackedManifest;
}

/** How npm names the file of a packed package, before its version. */
export const stemOf = (name: string) => name.replace("@", "").replace("/", "-");
