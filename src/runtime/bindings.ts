/** Bindings of the platform: none, except on Workers. */
export const bindings: object = {};
