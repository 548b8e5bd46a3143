/** Their windows begin with a client's first request. */
const POLICIES = 'policies: [fixedWindow({ limit: 100, window: "1m", aligned: false })]';

/** What they call those of a middleware. */
export const OF_MIDDLEWARE = {
  max: POLICIES,
  limit: POLICIES,
  windowMs: POLICIES,
  timeWindow: POLICIES,
  keyGenerator: "partition",
  handler: "onDenied",
  message: "onDenied",
  statusCode: "onDenied",
  errorResponseBuilder: "onDenied",
  skipFailedRequests: "counts: failures()",
  skipSuccessfulRequests: "counts: failures()",
  standardHeaders: "headers",
  legacyHeaders: "headers",
  passOnStoreError: "onFailure",
  skipOnError: "onFailure",
  nameSpace: "prefix",
  trustProxy: "clientIp",
  skip: "lists",
  allowList: "lists",
};
