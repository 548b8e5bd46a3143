import type { WaitUntil } from "./wait-until.ts";

/** Bindings of the platform: none, except on Workers. */
export const bindings: object = {};

/** Keeps a request's isolate for a promise. Only Workers end a process before its promises. */
export const waitUntil: WaitUntil = () => {};
