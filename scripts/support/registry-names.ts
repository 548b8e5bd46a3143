/**
 * The name of a package on the registry, by its folder. `name` of the project's package.json alone says it: `npm run build:source`
 * writes the names of the other packages, and a test lists every other spelling.
 *
 * @param project that name
 */
export function registryName(folder: string, project: string): string {
  const part = folder.replace(/^packages\//, "");
  return part.startsWith("create-") ? `create-${project}` : `@${project}/${part}`;
}
