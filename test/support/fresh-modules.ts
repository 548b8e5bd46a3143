import { vi } from "vitest";

// Files that share a process share what modules hold, such as which messages were logged: each gets modules of its own.
vi.resetModules();
