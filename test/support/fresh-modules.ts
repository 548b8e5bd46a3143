import { afterAll, vi } from "vitest";

// Files that share a process share the state of modules, such as which messages were logged: each gets modules of its own.
vi.resetModules();

// @hono/node-server puts classes of its own in the place of these: the next file gets Node's back.
const { Request, Response } = globalThis;
afterAll(() => {
  Object.defineProperty(globalThis, "Request", { value: Request });
  Object.defineProperty(globalThis, "Response", { value: Response });
});
