/** All rules that cover a request decide it together; the dashboard counts it under the first one. */
export const rules = [
  // Logins are counted more strictly, by this rule and the one below.
  {
    method: "POST",
    path: "/**/login*/*",
    partition: ["ip"],
    policies: [{ algorithm: "sliding-window-log", name: "login", limit: 5, window: "1m" }],
  },
  // Each client has 20 requests at once, and 10 more each second.
  {
    path: "/*",
    partition: ["ip"],
    policies: [{ algorithm: "token-bucket", name: "client", limit: 20, refill: 10, per: "1s" }],
  },
];
