/** The answers of the admin API in the tests of the program. */

export const DOCUMENT = {
  $schema: "https://example.com/document.schema.json",
  rules: [
    {
      path: "/rides",
      policies: [{ algorithm: "fixed-window", name: "rides", limit: 20, window: "1m" }],
    },
  ],
};

export const CHANGES = [
  { type: "changed", path: "rules[0].policies[0].limit", before: 20, after: 40 },
  { type: "added", path: "plans.gold", after: { rides: { limit: 200 } } },
  { type: "removed", path: "lists.deny[0]", before: { cidr: "203.0.113.7" } },
];

/** The same as lines. */
export const CHANGE_LINES = `~ rules[0].policies[0].limit: 20 -> 40
+ plans.gold: {"rides":{"limit":200}}
- lists.deny[0]: {"cidr":"203.0.113.7"}
`;

export const BY = "admin:0a1b2c3d";
export const AT = "2027-01-01T12:00:00.000Z";

export const LIVE = { version: 7, publishedAt: AT, by: BY, source: "live", document: DOCUMENT };
export const PUBLISHED = { version: 8, publishedAt: AT, changes: CHANGES };

export function ok(json: unknown) {
  return { status: 200, json };
}

export function problem(status: number, title: string, more: object = {}) {
  return { status, json: { type: "about:blank", title, status, ...more } };
}
