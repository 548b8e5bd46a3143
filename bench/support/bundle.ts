import { fileURLToPath } from "node:url";

import { build } from "esbuild";

const root = fileURLToPath(new URL("../..", import.meta.url));

export interface Bundle {
  readonly text: string;
  /** The bytes of it that are other packages' code, by their names. */
  readonly foreign: Readonly<Record<string, number>>;
}

/** Bundles a worker's source and minifies it, as for a deployment. Its imports are relative to the project. */
export async function bundle(source: string): Promise<string> {
  return (await dissect(source)).text;
}

/** Bundles a source, and says whose code got in. */
export async function dissect(source: string, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: root, loader: "ts" },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    platform: "neutral",
    mainFields: ["module", "main"],
    conditions: ["workerd", "worker", "browser", "import"],
    external: ["cloudflare:*", "node:*", "crypto", ...external],
    logLevel: "error",
    metafile: true,
  });
  const foreign: Record<string, number> = {};
  for (const { inputs } of Object.values(metafile.outputs)) {
    for (const [file, { bytesInOutput }] of Object.entries(inputs)) {
      const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1];
      if (name === undefined || bytesInOutput === 0) continue;
      foreign[name] = (foreign[name] ?? 0) + bytesInOutput;
    }
  }
  return { text: outputFiles![0]!.text, foreign };
}
