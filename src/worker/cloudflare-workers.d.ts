/** The one thing used of the platform's own module; the full types would bring a second set of web globals. */
declare module "cloudflare:workers" {
  export const env: Readonly<Record<string, unknown>>;
}
