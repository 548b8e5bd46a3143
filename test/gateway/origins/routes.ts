/** The field by which an origin says which of its handlers a request reached. */
export const REACHED = "x-reached";

/** What every origin serves, and what the gateway's rules of the same names are to count. */
export const RULES = [
  { name: "login", method: "POST", path: "/api/login" },
  { name: "ride", method: "*", path: "/api/rides/:id" },
  { name: "project", method: "*", path: "/projects/*" },
] as const;
