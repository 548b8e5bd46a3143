import { compileTokenReader, NO_READER } from "./read-token.ts";

/** Identities and plans by the claims of verified tokens. */
export const jwt = { compile: compileTokenReader, none: NO_READER };
