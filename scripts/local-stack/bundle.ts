import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";

import { keptBundle } from "./kept-bundle.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
// The program and the library are one file.
const wrangler = createRequire(import.meta.url).resolve("wrangler");

/** The files that a deployment uploads. */
export interface Bundle {
  readonly mainModule: string;
  /** The text of each module by its name. */
  readonly modules: Readonly<Record<string, string>>;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** The variables of wrangler.toml. */
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The part of an upload's metadata that is used here. */
interface Metadata {
  readonly main_module: string;
  readonly compatibility_date: string;
  readonly compatibility_flags?: readonly string[];
  readonly bindings: readonly { name: string; type: string; text?: string; json?: unknown }[];
}

let bundled: Promise<Bundle> | undefined;

/** Bundles the worker, once for the same sources, by having wrangler write the upload of a deployment to a file. */
export function bundleWorker(signal?: AbortSignal): Promise<Bundle> {
  bundled ??= keptBundle(() => build(signal)).catch((error: unknown) => {
    bundled = undefined;
    throw error;
  });
  return bundled;
}

async function build(signal: AbortSignal | undefined): Promise<Bundle> {
  const folder = await mkdtemp(join(tmpdir(), "tidegate-"));
  try {
    const upload = join(folder, "upload");
    await runWrangler(["deploy", "--dry-run", "--outfile", upload], signal);
    return await readUpload(await readFile(upload));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runWrangler(args: string[], signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  const child = spawn(process.execPath, ["--no-warnings", wrangler, ...args], {
    cwd: root,
    stdio: ["ignore", "ignore", "pipe"],
    env: {
      ...process.env,
      // The bundle must not depend on the caller's environment.
      NODE_ENV: undefined,
      WRANGLER_HIDE_BANNER: "true",
      WRANGLER_LOG: "error",
      WRANGLER_SEND_METRICS: "false",
    },
  });
  let complaint = "";
  child.stderr.on("data", (chunk) => (complaint += chunk));
  const kill = () => child.kill();
  signal?.addEventListener("abort", kill);
  const [status] = await once(child, "close");
  signal?.removeEventListener("abort", kill);
  signal?.throwIfAborted();
  if (status === 0) return;
  const reason = stripVTControlCharacters(complaint).trim();
  throw new Error(`wrangler could not bundle the worker:
${reason}`);
}

async function readUpload(bytes: Buffer<ArrayBuffer>): Promise<Bundle> {
  const boundary = bytes.subarray(2, bytes.indexOf("\r\n")).toString();
  const type = `multipart/form-data; boundary=${boundary}`;
  const form = await new Response(bytes, { headers: { "content-type": type } }).formData();
  const metadata = JSON.parse(String(form.get("metadata"))) as Metadata;
  const modules: Record<string, string> = {};
  for (const [name, part] of form) {
    if (typeof part === "string" || part.type === "application/source-map") continue;
    if (part.type !== "application/javascript+module") {
      throw new Error(`the bundle has a module of an unknown type: ${name}, ${part.type}`);
    }
    modules[name] = await part.text();
  }
  return {
    mainModule: metadata.main_module,
    modules,
    compatibilityDate: metadata.compatibility_date,
    compatibilityFlags: metadata.compatibility_flags ?? [],
    variables: Object.fromEntries(
      metadata.bindings
        .filter(({ type }) => type !== "assets")
        .map(({ name, text, json }) => [name, text ?? json]),
    ),
  };
}
