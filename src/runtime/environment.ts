import { bindings } from "#bindings";

/** Variables of an environment, by name. */
export type Environment = Readonly<Record<string, unknown>>;

/** The process's variables, and on Workers also the bindings, which `process.env` may lack. */
export function readEnvironment(): Environment {
  const { process } = globalThis as { process?: { env?: Environment } };
  return { ...process?.env, ...bindings };
}

/** Whether this is workerd, the runtime of Cloudflare Workers. */
export function onWorkers(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}
