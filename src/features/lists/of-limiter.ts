import { compileLists } from "../../lists/lists.ts";
import { withLists } from "./listed-limiter.ts";

/** What a limiter has of lists. */
export const lists = { compile: compileLists, wrap: withLists };
