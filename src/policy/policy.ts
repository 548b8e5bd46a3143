import type { PolicyMadeFor } from "../algorithms/algorithm.ts";
import type { IMPLEMENTATIONS } from "../algorithms/all.ts";
import type { CalendarWindowPolicy } from "../algorithms/calendar-definition.ts";
import type { ConcurrencyPolicy } from "../algorithms/concurrency.ts";
import type { NoticePolicy } from "../algorithms/notice.ts";

/** The algorithms that count requests. `concurrency` counts holds, which only code can make: rules cannot. */
export type CountingAlgorithm = keyof typeof IMPLEMENTATIONS;

/** A limit and how it is counted, made by a builder such as `tokenBucket()`. */
export type Policy = PolicyMadeFor<(typeof IMPLEMENTATIONS)[CountingAlgorithm]> | ConcurrencyPolicy;

/** The names of the algorithms, as scripts know them: a fixed window of a calendar is one of its own, and so is a notice. */
export type Algorithm = (Policy | CalendarWindowPolicy | NoticePolicy)["algorithm"];
