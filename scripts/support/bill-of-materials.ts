import { execFileSync } from "node:child_process";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import type { Metafile } from "esbuild";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** CycloneDX's own tool for bundles of esbuild. */
const TOOL = join(ROOT, "node_modules/@cyclonedx/cyclonedx-esbuild/bin/cyclonedx-esbuild-cli.js");

const nameIn = (file: string) =>
  (JSON.parse(readFileSync(join(ROOT, file), "utf8")) as { readonly name: string }).name;

const OWN_NAMES = new Set(
  ["package.json", ...globSync("packages/*/package.json", { cwd: ROOT })].map(nameIn),
);

/** The parts that are read of a bill in CycloneDX's JSON, and of its packages. */
export interface Bill {
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
}

export interface Component {
  readonly "bom-ref": string;
  readonly group?: string;
  readonly name: string;
  readonly version?: string;
  /** The address of a package in a registry. */
  readonly purl?: string;
  readonly licenses?: readonly { readonly license?: { readonly id?: string } }[];
}

/**
 * The packages of others that a bundle has in it, with their versions and licences, as a bill of materials in CycloneDX's JSON. The
 * same bundle makes the same text.
 *
 * @param folder of the package that has the bundle
 */
export function billOfMaterials(folder: string, { inputs, outputs }: Metafile): string {
  const temporary = mkdtempSync(join(tmpdir(), "tidegate-bill-"));
  try {
    const [metafile, file] = [join(temporary, "meta.json"), join(temporary, "bill.json")];
    const foreign = Object.entries(inputs).filter(([path]) => path.includes("node_modules/"));
    writeFileSync(metafile, JSON.stringify({ inputs: Object.fromEntries(foreign), outputs }));
    const options = ["--build-working-dir", ROOT, "--output-reproducible", "--validate"];
    execFileSync(process.execPath, [TOOL, ...options, "--output-file", file, metafile], {
      cwd: join(ROOT, folder),
      stdio: "pipe",
    });
    return withOwnName(folder, JSON.parse(readFileSync(file, "utf8")) as Bill);
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

/** The tool names the project. A package of its own depends on all that its bundle has in it: nothing is left outside. */
function withOwnName(folder: string, { metadata, components, ...rest }: Bill): string {
  const { name, version } = JSON.parse(
    readFileSync(join(ROOT, folder, "package.json"), "utf8"),
  ) as { readonly name: string; readonly version: string };
  const ref = `${name}@${version}`;
  const purl = `pkg:npm/${name.replace("@", "%40")}@${version}`;
  const bundled = components.filter((component) => !isOwn(component));
  const bill = {
    ...rest,
    metadata: {
      ...metadata,
      component: { type: "application", name, version, purl, "bom-ref": ref },
    },
    components: bundled,
    dependencies: [{ ref, dependsOn: bundled.map((component) => component["bom-ref"]) }],
  };
  return `${JSON.stringify(bill, null, 1)}\n`;
}

/** Parts of the project, and files of it that are in no package. */
function isOwn({ group, name, purl }: Component): boolean {
  const full = group === undefined ? name : `${group}/${name}`;
  return purl === undefined || OWN_NAMES.has(full);
}
