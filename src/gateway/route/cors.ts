import { cors } from "hono/cors";
import { Hono as TinyHono } from "hono/tiny";

import { RATE_LIMIT_FIELDS } from "../../decide/header-fields.ts";
import type { AnswerFields } from "../../decide/present.ts";
import type { CorsOptions } from "./cors-options.ts";

const ALLOW_ORIGIN = "Access-Control-Allow-Origin";
const CREDENTIALS = "Access-Control-Allow-Credentials";
const ASKED_FIELDS = "Access-Control-Request-Headers";
const ASKED_METHOD = "Access-Control-Request-Method";
const EXPOSE = "Access-Control-Expose-Headers";

type Asked = Pick<Request, "method" | "headers" | "url">;

/** Whether a browser asks for the permission to send another request. */
export function isPreflight({ method, headers }: Asked): boolean {
  return method === "OPTIONS" && headers.has("origin") && headers.has(ASKED_METHOD);
}

/** The request that a preflight asks for, as far as rules look at it. */
export function askedRequest({ headers, url }: Asked): Asked {
  return { method: headers.get(ASKED_METHOD)!, headers, url };
}

/** The permissions that browsers ask for, as the variable CORS gives them. */
export interface Cors {
  /** Answers a preflight. */
  preflight(request: Request): Promise<Response>;
  /** The permission that lets scripts of a request's site read its answer. */
  permissionFor(request: Pick<Request, "headers">): Promise<Permission>;
}

/**
 * Adds the fields to those of an answer, so that scripts of other sites may read it. An origin that gives a permission itself keeps it;
 * only the limiter's fields are exposed, too.
 */
export type Permission = (fields: AnswerFields) => void;

/** Gives a permission to an answer, unless it switches protocols: then it cannot be changed, and no script reads it. */
export function permitted(response: Response, permission: Permission | undefined): Response {
  if (response.status !== 101) permission?.(response.headers);
  return response;
}

/**
 * The fields that a preflight asks for, without blanks between the names: older versions of Hono split them in time that grows with
 * the square of the blanks.
 */
function asked({ headers }: Request): Headers {
  const asked = new Headers({ Origin: headers.get("origin") ?? "" });
  const names = headers.get(ASKED_FIELDS);
  if (names !== null) asked.set(ASKED_FIELDS, names.replaceAll(/[\t ]/g, ""));
  return asked;
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
    preflight: async (request) => app.request("/", { method: "OPTIONS", headers: asked(request) }),

    async permissionFor({ headers }) {
      const own = await fieldsFor(headers.get("origin"));
      return (fields) => {
        if (fields.has(ALLOW_ORIGIN)) {
          fields.append(EXPOSE, RATE_LIMIT_FIELDS.join(","));
          return;
        }
        fields.delete(CREDENTIALS);
        for (const [name, value] of own) fields.append(name, value);
      };
    },
  };
}
