import { limiterSubject } from "./limiter-subject.ts";
import { workerSubject } from "./worker-subject.ts";

/** Both meet every fault of the store. */
export const SUBJECTS = [
  { name: "limiter", start: limiterSubject },
  { name: "worker", start: workerSubject },
] as const;
