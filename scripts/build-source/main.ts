// Builds what says where the source lives from `repository` of package.json: that of the other packages, links of documents that
// leave the project, and buttons. From its `name` it builds those of the other packages. `--check` writes nothing and fails if a
// committed file is stale.

import { globSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";

import { type Built, writeOrCheck } from "../support/built-files.ts";
import { sourceAddress } from "../support/source-address.ts";
import { withButtons } from "./buttons.ts";
import { withLinks } from "./links.ts";
import { type Project, withOrigin } from "./manifest.ts";

process.chdir(fileURLToPath(new URL("../..", import.meta.url)));

const read = (file: string) => JSON.parse(readFileSync(file, "utf8")) as Project;

const project = read("package.json");
const address = sourceAddress(project);
const manifests = globSync("packages/*/package.json").sort();
// Each package was built for the same address as the documents.
const before = sourceAddress(read(manifests[0]!));

const files: Record<string, Built> = {};
for (const file of manifests) {
  files[file] = (committed) => withOrigin(committed, dirname(file), project);
}
for (const file of ["README.md", ...globSync("{packages,templates,examples}/*/README.md").sort()]) {
  files[file] = (committed) => withButtons(withLinks(committed, file, before, address), address);
}
writeOrCheck("build:source", files);
