/** Variables of an environment, by name. */
export type Environment = Readonly<Record<string, unknown>>;

/** The environment of Node, Vercel, and of Workers with `nodejs_compat`; empty elsewhere. */
export function processEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}

/** Whether this is workerd, the runtime of Cloudflare Workers. */
export function onWorkers(): boolean {
  return globalThis.navigator?.userAgent === "Cloudflare-Workers";
}
