import type { Repository } from "../support/source-address.ts";

interface Manifest {
  readonly license: string;
  readonly repository?: Repository;
}

/** The package.json of a folder of the project, with the address of the source if there is one. */
export function withRepository(
  text: string,
  directory: string,
  repository: Repository | undefined,
): string {
  const { repository: _before, ...manifest } = JSON.parse(text) as Manifest;
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
