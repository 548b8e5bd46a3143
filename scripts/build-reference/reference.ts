import { readFileSync } from "node:fs";
import { registerHooks } from "node:module";
import { fileURLToPath } from "node:url";

import type { Application, DeclarationReflection, ProjectReflection } from "typedoc";

const root = fileURLToPath(new URL("../..", import.meta.url));

// TypeDoc reads sources by the API of the compiler, which TypeScript 7 does not have.
registerHooks({
  resolve: (specifier, context, next) =>
    next(specifier === "typescript" ? "typescript-5" : specifier, context),
});
const { Application: TypeDoc, Configuration, ReflectionKind } = await import("typedoc");

export interface Reference {
  readonly application: Application;
  readonly project: ProjectReflection;
}

/** The exports of the package's entries, with their docstrings. */
export async function readReference(): Promise<Reference> {
  const { exports } = JSON.parse(readFileSync(`${root}/package.json`, "utf8")) as {
    exports: Record<string, unknown>;
  };
  const entries = Object.keys(exports).filter((entry) => !entry.endsWith(".json"));
  const application = await TypeDoc.bootstrapWithPlugins(
    {
      entryPoints: entries.map((entry) => `${root}/src/${sourceOf(entry)}.ts`),
      tsconfig: `${root}/tsconfig.build.json`,
      plugin: ["typedoc-plugin-markdown"],
      outputs: [{ name: "markdown", path: `${root}/dist/reference` }],
      // They are checked by the project's own compiler.
      skipErrorChecking: true,
      excludeInternal: true,
      readme: "none",
      disableSources: true,
      logLevel: "Error",
    },
    [new Configuration.TypeDocReader()],
  );
  const project = await application.convert();
  if (!project) throw new Error("TypeDoc could not read the entries");
  for (const module of project.children ?? []) module.name = entryOf(module.name);
  return { application, project };
}

/** The exports that have no docstring, by their entries. */
export function withoutDocstring({ project }: Reference): readonly string[] {
  return (project.children ?? []).flatMap((entry) =>
    (entry.children ?? [])
      .filter((exported) => !exported.isReference() && !isDescribed(exported))
      .map(({ name }) => `${entry.name}: ${name}`),
  );
}

/** A function has its text at its signatures. */
function isDescribed(exported: DeclarationReflection): boolean {
  if (exported.kindOf(ReflectionKind.FunctionOrMethod)) {
    return exported.signatures?.every((signature) => signature.hasComment()) ?? false;
  }
  return exported.hasComment() || (exported.signatures?.some((each) => each.hasComment()) ?? false);
}

const sourceOf = (entry: string) => (entry === "." ? "index" : entry.slice(2));
const entryOf = (source: string) => (source === "index" ? "tidegate" : `tidegate/${source}`);
