import { readdirSync } from "node:fs";
import { basename, resolve } from "node:path";

import type { PlatformName, StoreName } from "./platforms.ts";

/** The settings from which a gateway is created. */
export interface Settings {
  readonly folder: string;
  readonly platform: PlatformName;
  readonly origin: string;
  readonly store: StoreName;
}

/** The folder if none is given: this one, if it is empty. */
export function usualFolder(): string {
  return isFree(".") ? "." : "gateway";
}

/** Whether a project may be created there: a new folder, or one with nothing in it but a repository. */
export function isFree(folder: string): boolean {
  try {
    return readdirSync(folder).every((name) => name === ".git");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return true;
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

/** A project's name as npm and Cloudflare take it, after its folder. */
export function nameOf(folder: string): string {
  const name = basename(resolve(folder))
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-+|-+$/g, "")
    // The most that a worker's name may have.
    .slice(0, 54);
  return name === "" ? "gateway" : name;
}

/** The mistake in an origin; `undefined` if it has none. */
export function mistakeInOrigin(origin: string | undefined): string | undefined {
  // URL takes out the blanks and line breaks that a text has.
  const isText = origin !== undefined && /^\S+$/.test(origin);
  const url = isText && URL.canParse(origin) ? new URL(origin) : undefined;
  if (url && /^https?:$/.test(url.protocol) && url.search === "" && url.hash === "") {
    return undefined;
  }
  return "The origin is the address of your API, such as https://api.example.com.";
}
