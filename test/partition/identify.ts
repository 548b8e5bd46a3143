import { everySource } from "../../src/features/sources-feature.ts";
import { Faults } from "../../src/options/faults.ts";
import { compileSources } from "../../src/partition/compile-sources.ts";
import type { RequestData } from "../../src/partition/request-data.ts";
import type { SourceContext } from "../../src/partition/source.ts";

/** The identity of a request by these sources, by the rules of Cloudflare unless the context says otherwise. */
export async function identify(
  sources: unknown,
  asked: {
    readonly fields?: Record<string, string> | Headers;
    readonly query?: string;
    readonly cf?: unknown;
    readonly readings?: RequestData["readings"];
  },
  context: SourceContext = { clientIp: "cloudflare" },
): Promise<string | undefined> {
  const { fields, query = "", cf, readings } = asked;
  const faults = new Faults();
  const read = compileSources(sources, { kinds: everySource, ...context }, "partition", faults);
  faults.throwIfAny();
  return read({
    request: { headers: new Headers(fields), url: `https://example.com/a${query}`, cf },
    ...(readings && { readings }),
  });
}
