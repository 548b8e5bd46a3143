import { build } from "esbuild";
import { expect, test } from "vitest";

import { EVERY_FEATURE } from "../../src/features/every-feature.ts";

test.each([
  [["workerd", "worker", "browser"], false],
  [["edge-light", "worker", "browser"], false],
  [["bun", "node"], false],
  [["deno", "node"], false],
  [[], false],
  [["node"], true],
])("a bundle for %j has Node's own way to the origin: %s", async (conditions, expected) => {
  const { text } = await bundleOf(`export * from "./src/gateway.ts";`, conditions);
  expect(text.includes('"node:http"')).toBe(expected);
});

test("a bundle has the code of every word that rules may have, and not that of the admin API", async () => {
  const { files } = await bundleOf(
    `import { createGateway } from "./src/gateway.ts"; export default createGateway(process.env);`,
    ["workerd", "worker", "browser"],
  );
  // Clients, calendars and slots have their code elsewhere.
  const elsewhere = new Set(["clients", "calendar", "slots"]);
  const features = Object.keys(EVERY_FEATURE).filter((name) => !elsewhere.has(name));
  const kebab = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const isBundled = (name: string) =>
    files.some((file) => file.endsWith(`/${kebab(name)}-feature.ts`));
  expect(features.filter((name) => !isBundled(name))).toEqual([]);
  expect(files).toContain("src/algorithms/calendar-definition.ts");
  expect(files.filter((file) => file.startsWith("src/admin"))).toEqual([]);
});

/** Bundles a source for a platform. Of its files, those with code in it. */
async function bundleOf(contents: string, conditions: string[]) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: ".", loader: "ts" },
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    conditions,
    external: ["cloudflare:*", "node:*"],
    logLevel: "silent",
  });
  const inputs = Object.entries(Object.values(metafile.outputs)[0]!.inputs);
  const files = inputs.flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? [file] : []));
  return { text: outputFiles[0]!.text, files };
}
