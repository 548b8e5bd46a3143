import { limiterSubject } from "./limiter-subject.ts";
import { workerSubject } from "./worker-subject.ts";

/** Whatever happens to the store happens to both. */
export const SUBJECTS = [
  { name: "limiter", start: limiterSubject },
  { name: "worker", start: workerSubject },
] as const;
