import { Miniflare, type MiniflareOptions } from "miniflare";
import { onTestFinished } from "vitest";

import { bundleWorker } from "../../scripts/local-stack/bundle.ts";

/** An event of Cloudflare's streaming tail, as far as tests read it. */
interface TailEvent {
  readonly type: string;
  readonly info?: readonly { readonly name: string; readonly value: unknown }[];
}

export interface TailedWorker {
  readonly url: string;
  /** The attributes of each request's root span, in the order in which requests ended. */
  readonly requests: readonly Readonly<Record<string, unknown>>[];
  /** Its warnings. */
  readonly warnings: readonly string[];
}

type Binding = Readonly<Record<string, unknown>>;

/** Says every event of every request on its console. Some attributes are of a kind that JSON has not. */
const TAIL = `
const inJson = (_key, value) => (typeof value === "bigint" ? String(value) : value);
export default {
  tailStream() {
    return ({ event }) => console.log("tail " + JSON.stringify(event, inJson));
  },
};`;

/**
 * The worker as it is deployed, with a second one that its spans are streamed to, so that its requests are traced.
 *
 * @param bindings as Miniflare describes them
 */
export async function startTailedWorker(
  bindings: Readonly<Record<string, Binding>>,
): Promise<TailedWorker> {
  const bundle = await bundleWorker();
  const { compatibilityDate } = bundle;
  const requests: Record<string, unknown>[] = [];
  const warnings: string[] = [];
  let open: Record<string, unknown> = {};

  function take({ type, info = [] }: TailEvent): void {
    if (type === "attributes") for (const { name, value } of info) open[name] = value;
    if (type !== "outcome") return;
    requests.push(open);
    open = {};
  }

  const modules = Object.entries(bundle.modules).map(
    ([name, contents]) => [name, { type: "esm", contents }] as const,
  );
  const workers = [
    {
      config: {
        name: "tidegate",
        compatibilityDate,
        compatibilityFlags: [...bundle.compatibilityFlags, "streaming_tail_worker"],
        manifest: { mainModule: bundle.mainModule, modules: Object.fromEntries(modules) },
        env: bindings,
        tailConsumers: [{ worker: "tail", streaming: true }],
      },
    },
    {
      config: {
        name: "tail",
        compatibilityDate,
        compatibilityFlags: ["streaming_tail_worker"],
        manifest: {
          mainModule: "tail.js",
          modules: { "tail.js": { type: "esm", contents: TAIL } },
        },
      },
    },
  ] as unknown as MiniflareOptions["workers"];
  const miniflare = new Miniflare({
    host: "127.0.0.1",
    workers,
    handleStructuredLogs({ level, message }) {
      if (level === "warn" || level === "error") warnings.push(message);
      if (message.startsWith("tail ")) take(JSON.parse(message.slice(5)) as TailEvent);
    },
    logRequests: false,
    cf: false,
    enableDevRegistry: false,
  });
  onTestFinished(() => miniflare.dispose());
  return { url: (await miniflare.ready).origin, requests, warnings };
}
