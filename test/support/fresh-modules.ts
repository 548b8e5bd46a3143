import { vi } from "vitest";

// Files that share a process share the state of modules, such as which messages were logged: each gets modules of its own.
vi.resetModules();
