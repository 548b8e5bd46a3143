// Gives the packages beside the library its version: they are released together. `npm run version` runs it after
// changesets have set that of the library.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

interface Manifest {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
}

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Manifest;
const { version } = read("package.json");

for (const file of [...globSync("packages/*/package.json"), "jsr.json"]) {
  const manifest = read(file);
  const { dependencies } = manifest;
  const changed = {
    ...manifest,
    version,
    ...(dependencies?.["tidegate"] && {
      dependencies: { ...dependencies, tidegate: `^${version}` },
    }),
  };
  writeFileSync(file, `${JSON.stringify(changed, null, 2)}\n`);
}
