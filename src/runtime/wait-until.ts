/** Keeps the isolate for a promise after the response has been sent, where the platform would end it. */
export type WaitUntil = (promise: Promise<unknown>) => void;
