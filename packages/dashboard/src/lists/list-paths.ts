/** The lists, by the names of their paths. */
export const LISTS = {
  "lists/deny": { title: "Blocked", note: "Their requests get a 403." },
  "lists/allow": { title: "Exempt", note: "Their requests pass without being counted." },
  overrides: { title: "Overrides", note: "These clients have other limits." },
} as const;

export type ListPath = keyof typeof LISTS;
