import type { LocationHint } from "./region/location-hints.ts";

/** A binding of a class of this package: the parts of Cloudflare's `DurableObjectNamespace` that are used. */
export interface ObjectNamespace {
  idFromName(name: string): object;
  get(id: object, options?: { readonly locationHint?: LocationHint }): object;
}
