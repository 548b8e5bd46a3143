/** The field by which an origin says which of its handlers a request reached. */
export const REACHED = "x-reached";

/** The routes that every origin serves, and that the gateway's rules of the same names are to count. */
export const RULES = [
  { name: "login", method: "POST", path: "/api/login" },
  { name: "ride", method: "*", path: "/api/rides/:id" },
  { name: "project", method: "*", path: "/projects/*" },
] as const;
