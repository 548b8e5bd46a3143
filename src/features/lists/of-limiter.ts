import { compileLists } from "../../lists/lists.ts";
import { withLists } from "./listed-limiter.ts";

/** The lists of a limiter. */
export const lists = { compile: compileLists, wrap: withLists };
