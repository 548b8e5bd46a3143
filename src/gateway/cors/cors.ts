import { cors } from "hono/cors";
import { Hono as TinyHono } from "hono/tiny";

import { RATE_LIMIT_FIELDS } from "../../decision/fields.ts";
import type { CorsOptions } from "./options.ts";

const ALLOW_ORIGIN = "Access-Control-Allow-Origin";
const CREDENTIALS = "Access-Control-Allow-Credentials";
const EXPOSE = "Access-Control-Expose-Headers";

/** The permissions that browsers ask for, as the variable CORS gives them. */
export interface Cors {
  /** Answers a preflight. */
  preflight(request: Request): Promise<Response>;
  /**
   * Adds the fields to an answer, so that scripts of other sites may read it. An origin that gives a permission itself keeps it;
   * only the limiter's fields are exposed, too.
   */
  permit(request: Request, response: Response): Promise<Response>;
}

/** Compiles the variable CORS. */
export function compileCors(options: CorsOptions): Cors {
  const { origin, exposeHeaders = [] } = options;
  const app = new TinyHono();
  app.use(
    cors({ ...options, exposeHeaders: [...RATE_LIMIT_FIELDS, ...exposeHeaders] } as Parameters<
      typeof cors
    >[0]),
  );
  app.all("*", () => new Response());
  const origins = new Set([origin].flat());
  /** The fields for each permitted site that has asked, and for all others. */
  const known = new Map<string, Headers>();

  async function fieldsFor(site: string | null): Promise<Headers> {
    const name = site !== null && origins.has(site) ? site : "";
    const fields =
      known.get(name) ?? (await app.request("/", { headers: { Origin: name } })).headers;
    known.set(name, fields);
    return fields;
  }

  return {
    preflight: async (request) => app.fetch(request),

    async permit(request, response) {
      // A response that switches protocols cannot be changed, and is no answer to a script that asks for permission.
      if (response.status === 101) return response;
      const { headers } = response;
      if (headers.has(ALLOW_ORIGIN)) {
        headers.append(EXPOSE, RATE_LIMIT_FIELDS.join(","));
        return response;
      }
      headers.delete(CREDENTIALS);
      for (const [name, value] of await fieldsFor(request.headers.get("origin"))) {
        headers.append(name, value);
      }
      return response;
    },
  };
}
