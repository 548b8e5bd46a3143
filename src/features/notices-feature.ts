import { compileNotices } from "./compile-notices.ts";
import { noticeSteps } from "./notice-steps.ts";

/** A listener that is told when a partition has used a share of a limit, and when it begins to be denied. */
export const notices = { compile: compileNotices, steps: noticeSteps };
