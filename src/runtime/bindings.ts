import type { WaitUntil } from "./wait-until.ts";

/** Bindings of the platform: none, except on Workers. */
export const bindings: object = {};

/** Keeps a request's isolate for a promise. Nothing ends a process before its promises, except on Workers. */
export const waitUntil: WaitUntil = () => {};
