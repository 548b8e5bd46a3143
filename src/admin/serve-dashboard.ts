import { problemResponse } from "../decide/problem.ts";
import { notFound } from "../gateway/route/route.ts";
import type { Environment } from "../runtime/environment.ts";

/** Files that are deployed beside the worker, as the binding of Workers answers them. */
interface Assets {
  fetch(url: string): Promise<Response>;
}

/** Header fields that keep a browser from any other use of the dashboard. */
export const DASHBOARD_FIELDS = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Answers with a file of the dashboard by its path below `/_tidegate/`, from the files that are bound as `ASSETS`. */
export function serveDashboard(environment: Environment): (path: string) => Promise<Response> {
  const { ASSETS: assets } = environment as { ASSETS?: Assets };
  if (typeof assets?.fetch !== "function") return async () => withoutFiles();
  return async (path) => {
    const { status, headers, body } = await assets.fetch(`http://assets/${encodeURI(path)}`);
    if (status !== 200) return notFound();
    return new Response(body, {
      headers: {
        ...DASHBOARD_FIELDS,
        "Content-Type": headers.get("content-type") ?? "",
        // The names of all files but the page change with their content.
        "Cache-Control": path === "" ? "no-store" : "public, max-age=31536000, immutable",
      },
    });
  };
}

function withoutFiles(): Response {
  return problemResponse({
    type: "about:blank",
    title: "Not Found",
    status: 404,
    detail:
      'The dashboard\'s files are not bound. Install @tidegate/dashboard, and in wrangler.toml add [assets] with directory = "node_modules/@tidegate/dashboard/dist", binding = "ASSETS" and run_worker_first = true; or run `npx @tidegate/cli dashboard --url` with this gateway\'s address.',
  });
}
