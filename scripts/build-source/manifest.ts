import { registryName } from "../support/registry-names.ts";
import type { Repository } from "../support/source-address.ts";

/** The facts of the project's package.json that all packages share. */
export interface Project {
  readonly name: string;
  readonly repository?: Repository;
}

interface Manifest {
  readonly license: string;
  readonly repository?: Repository;
}

/** The package.json of a folder of the project, with its name on the registry, and the address of the source if there is one. */
export function withOrigin(text: string, directory: string, { name, repository }: Project): string {
  const { repository: _before, ...parts } = JSON.parse(text) as Manifest;
  const manifest = { ...parts, name: registryName(directory, name) };
  const entries = Object.entries(manifest).flatMap(([name, value]) =>
    name === "license" && repository !== undefined
      ? [
          [name, value],
          ["repository", { ...repository, directory }],
        ]
      : [[name, value]],
  );
  return `${JSON.stringify(Object.fromEntries(entries), null, 2)}\n`;
}
