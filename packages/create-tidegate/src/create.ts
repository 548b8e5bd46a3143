import { randomBytes } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { PLATFORMS } from "./platforms.ts";
import { isFree, nameOf, type Settings } from "./settings.ts";
import { lineOf, mistakeIn } from "./variables-file.ts";

/** The project was not created, and a person can mend why. */
export class NotCreated extends Error {
  override readonly name = "NotCreated";
}

/** The credentials of a Redis, as the gateway names them. */
const REDIS = ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"] as const;

/** A created gateway, and the steps left to the person. */
export interface Created {
  /** The variables to fill in. */
  readonly missing: readonly string[];
  /** Whether the gateway counts through the bridge, which has to run. */
  readonly needsBridge: boolean;
}

/**
 * Creates the project from its template.
 *
 * @param templates the folder of the templates
 * @param environment its credentials of a Redis are taken over
 * @throws NotCreated if the folder has something in it, or a value cannot be written
 */
export function create(
  settings: Settings,
  templates: string,
  environment: Readonly<Record<string, string | undefined>>,
): Created {
  const { folder, platform } = settings;
  const { template, secrets } = PLATFORMS[platform];
  if (!isFree(folder)) {
    throw new NotCreated(`${folder} is not an empty folder. Name a new one.`);
  }
  const variables = variablesOf(settings, environment);
  for (const [name, value] of Object.entries(variables)) {
    const mistake = mistakeIn(value);
    if (mistake !== undefined) throw new NotCreated(`${name} ${mistake}. Nothing was created.`);
  }
  mkdirSync(folder, { recursive: true });
  cpSync(join(templates, template), folder, { recursive: true });
  // npm leaves files of this name out of a package.
  renameSync(join(folder, "gitignore"), join(folder, ".gitignore"));
  const name = nameOf(folder);
  edit(join(folder, "package.json"), (text) =>
    replaced(text, /"name": "gateway"/, `"name": "${name}"`),
  );
  if (platform === "cloudflare")
    edit(join(folder, "wrangler.toml"), (text) => configured(text, settings));

  const example = readFileSync(join(folder, `${secrets}.example`), "utf8");
  writeFileSync(join(folder, secrets), filledIn(example, variables), { mode: 0o600 });
  return {
    missing: Object.keys(variables).filter((variable) => variables[variable] === ""),
    needsBridge: "REDIS_REST_TOKEN" in variables,
  };
}

/** The variables that are not committed; empty where the person has to fill them in. */
function variablesOf(
  { platform, origin, store }: Settings,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  const token = secretToken();
  const variables: Record<string, string> = { ADMIN_TOKEN: token };
  if (platform !== "cloudflare") variables["ORIGIN"] = origin;
  if (store === "redis") {
    for (const variable of REDIS) variables[variable] = environment[variable] ?? "";
  }
  if (platform !== "node") return variables;
  variables["TIDEGATE_TOKEN"] = token;
  if (store === "memory") variables["STORE"] = "memory";
  else if (variables[REDIS[0]] === "") {
    // The bridge on this machine, which is told the same token.
    variables[REDIS[0]] = "http://127.0.0.1:8079";
    variables[REDIS[1]] = variables["REDIS_REST_TOKEN"] = secretToken();
  }
  return variables;
}

/** 256 bits. */
function secretToken(): string {
  return randomBytes(32).toString("base64url");
}

/** The worker's configuration with its name, its origin and its store. */
function configured(text: string, { folder, origin, store }: Settings): string {
  let toml = replaced(text, /^name = .*$/m, `name = "${nameOf(folder)}"`);
  toml = replaced(toml, /^ORIGIN = .*$/m, `ORIGIN = ${JSON.stringify(origin)}`);
  toml = replaced(toml, /^STORE = .*$/m, `STORE = "${store}"`);
  return store === "durable-object"
    ? toml
    : replaced(toml, /^# The class that counts.\n[^]*?(?=^\[vars\])/m, "");
}

/** The example's lines with these values, and a line for each that it does not name. */
function filledIn(example: string, variables: Readonly<Record<string, string>>): string {
  const left = new Map(Object.entries(variables));
  const lines = example
    .trimEnd()
    .split("\n")
    .map((line) => {
      const name = /^(\w+)=/.exec(line)?.[1];
      const value = name === undefined ? undefined : left.get(name);
      if (value === undefined) return line;
      left.delete(name!);
      return lineOf(name!, value);
    });
  return [...lines, ...Array.from(left, ([name, value]) => lineOf(name, value)), ""].join("\n");
}

function edit(file: string, change: (text: string) => string): void {
  writeFileSync(file, change(readFileSync(file, "utf8")));
}

/** Replaces text that a template must have. */
function replaced(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`The template has no ${pattern}.`);
  return text.replace(pattern, () => by);
}
