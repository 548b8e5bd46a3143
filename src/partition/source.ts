import type { Faults } from "../options/faults.ts";
import type { MadeBy, SourceMakers } from "../options/option-value.ts";
import type { ClientIp } from "./client-ip.ts";
import type { EVERYBODY } from "./key-text.ts";
import type { NamedSegments, RequestData } from "./request-data.ts";
import type { CompileSource } from "./source-reader.ts";
import type { SingleSource } from "./source-text.ts";

/** The source of an identity; an inner list combines its sources. */
export type Source = SingleSource | readonly SingleSource[];

/** The sources of an identity in order, or `"*"` for all clients together. */
export type Sources = readonly Source[] | typeof EVERYBODY;

/**
 * The same, as code has them: the address, and the values of `header()`, `cookie()`, `claim()` and the others. Without a name for
 * one of them, because the compiler would show that name in place of the functions.
 */
export type SourceValues =
  | readonly ("ip" | MadeBy<SourceMakers> | readonly ("ip" | MadeBy<SourceMakers>)[])[]
  | typeof EVERYBODY;

/** Reads the identity of a request; `undefined` if it has none. */
export type ReadIdentity = (data: RequestData) => string | undefined | Promise<string | undefined>;

export interface SourceContext {
  /** The kinds of sources that are there besides the address. */
  readonly kinds?: Readonly<Record<string, CompileSource>> | undefined;
  /** Whether tokens are verified here. */
  readonly verifies?: boolean | undefined;
  /** The trusted source of the client's address; `undefined` for the platform. */
  readonly clientIp: ClientIp | undefined;
  /** The names in the rule's path; `undefined` where no rule has a path. */
  readonly segments?: NamedSegments | undefined;
}

/**
 * Compiles sources into one function.
 *
 * @param path where the sources stand, for faults
 */
export type CompileSources = (
  sources: unknown,
  context: SourceContext,
  path: string,
  faults: Faults,
) => ReadIdentity;
