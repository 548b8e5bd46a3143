import { EdgeRuntime } from "edge-runtime";
import { build } from "esbuild";

/** The `middleware.ts` of a folder as Vercel bundles it, in Vercel's runtime. */
export async function startMiddleware(
  folder: string,
  environment: Readonly<Record<string, string>>,
): Promise<EdgeRuntime> {
  const { outputFiles } = await build({
    stdin: {
      contents: `import middleware from "./middleware.ts";
        addEventListener("fetch", (event) => event.respondWith(middleware(event.request, event)));`,
      resolveDir: folder,
    },
    bundle: true,
    write: false,
    conditions: ["edge-light", "worker", "browser"],
    logLevel: "silent",
  });
  return new EdgeRuntime({
    extend: (context) => Object.assign(context, { process: { env: environment } }),
    initialCode: outputFiles[0]!.text,
  });
}
