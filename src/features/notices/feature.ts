import { compileNotices } from "./check.ts";
import { noticeSteps } from "./step.ts";

/** A listener that is told when a partition has used a share of a limit, and when it begins to be denied. */
export const notices = { compile: compileNotices, steps: noticeSteps };
