import type { CountsPlace } from "../counts-place.ts";

/** Where a gateway's control data is, and whether the counts are elsewhere. */
export type ControlPlace = CountsPlace & { readonly isOwn: boolean };
