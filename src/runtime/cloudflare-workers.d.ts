/** The used part of the platform's module; its full types would add a second set of web globals. */
declare module "cloudflare:workers" {
  export const env: Readonly<Record<string, unknown>>;
  /** Keeps the request's context alive until the promise settles. */
  export function waitUntil(promise: Promise<unknown>): void;
}
