const POLICIES = 'policies: [fixedWindow({ limit: 100, window: "1m" })]';

/** What they call those of a middleware. */
export const OF_MIDDLEWARE = {
  max: POLICIES,
  limit: POLICIES,
  windowMs: POLICIES,
  timeWindow: POLICIES,
  keyGenerator: "partition",
  handler: "onDenied",
  message: "onDenied",
  skip: "lists",
  allowList: "lists",
};
