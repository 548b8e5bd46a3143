import { compileLists } from "../../lists/lists.ts";
import { withLists } from "./listed-limiter.ts";

/** The lists of a limiter. */
export const limiterLists = { compile: compileLists, wrap: withLists };
