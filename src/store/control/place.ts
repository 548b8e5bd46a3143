import type { CountsPlace } from "../counts-place.ts";

/** The place of a gateway's control data, and whether the counts are elsewhere. */
export type ControlPlace = CountsPlace & { readonly isOwn: boolean };
