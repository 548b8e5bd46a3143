import { createJsonScanner } from "./json-scanner.ts";
import { reportUnknown } from "./read-usage.ts";
import { createUsageReader } from "./usage-reader.ts";
import type { Usage } from "./usage.ts";

/** The usage that a whole document of JSON tells; `undefined` if it tells none. */
export function usageOfDocument(bytes: Uint8Array): Usage | undefined {
  const reader = createUsageReader(false, reportUnknown);
  const { scan, end } = createJsonScanner(reader);
  scan(bytes, 0, bytes.length);
  end();
  return reader.usage(true);
}
