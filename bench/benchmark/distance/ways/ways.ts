import { lease, optimistic } from "../../../../src/index.ts";
import { UNSETTLED } from "../terms.ts";
import { interval } from "./interval.ts";
import { own } from "./own.ts";
import { threshold } from "./threshold.ts";
import { tidegate } from "./tidegate.ts";
import { tokens } from "./tokens.ts";
import { upstash } from "./upstash.ts";
import type { Way } from "./way.ts";

/** By the names of `names.ts`. */
export const WAYS: Readonly<Record<string, Way>> = {
  optimistic: tidegate({ optimistic: optimistic({ unsettled: UNSETTLED }) }),
  plain: tidegate({}),
  leased: tidegate({ lease: lease("400ms") }),
  upstash,
  interval,
  threshold,
  tokens,
  own,
};
