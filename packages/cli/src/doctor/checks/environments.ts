import type { Finding } from "../finding.ts";

/** The prefix and the Redis of an environment in a wrangler file. */
export interface Environment {
  /** Such as `vars` or `env.preview.vars`. */
  readonly name: string;
  readonly prefix: string;
  /** `undefined` where it is a secret, which the file does not have. */
  readonly redisUrl: string | undefined;
}

/** Environments that may count, block and publish for each other. */
export function checkEnvironments(environments: readonly Environment[]): Finding | undefined {
  const pairs = environments.flatMap((one, i) =>
    environments.slice(i + 1).flatMap((other) => (mayShare(one, other) ? [[one, other]] : [])),
  ) as [Environment, Environment][];
  if (pairs.length === 0) return undefined;
  const isSure = pairs.some((pair) => !pair.some(isHidden));
  return {
    id: "environments-share-prefix",
    severity: isSure ? "warning" : "note",
    title: isSure
      ? "Environments of the worker share counts"
      : "Environments of the worker have the same PREFIX",
    evidence: pairs
      .map(([one, other]) => `${one.name} and ${other.name} have PREFIX "${one.prefix}"`)
      .join(", "),
    remedy:
      'With one Redis they share counts, live rules, lists and metrics: who is denied in a preview is denied in production. Give each environment a PREFIX of its own, such as PREFIX = "preview" below [env.preview.vars], or a Redis.',
  };
}

function mayShare(one: Environment, other: Environment): boolean {
  if (one.prefix !== other.prefix) return false;
  return isHidden(one) || isHidden(other) || one.redisUrl === other.redisUrl;
}

function isHidden({ redisUrl }: Environment): boolean {
  return redisUrl === undefined;
}
