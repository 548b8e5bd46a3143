/** What is used of the platform's own module; the full types would bring a second set of web globals. */
declare module "cloudflare:workers" {
  export const env: Readonly<Record<string, unknown>>;
  /** Keeps the request's context alive until then. */
  export function waitUntil(promise: Promise<unknown>): void;
}
