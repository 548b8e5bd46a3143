/** Tidegate's way with a store nearby, with which the others are compared. */
export const REGION = "region";

/** The other ways, by the name of their figures. The last counts in each region for itself, with the whole limit. */
export const OTHERS = ["plain", "leased", "optimistic", "a limit per region"] as const;

export type Way = typeof REGION | (typeof OTHERS)[number];

/** The ends of names of figures, after the scene. */
export const ADDED_P50 = "added to a decision, p50";
export const ADDED_P99 = "added to a decision, p99";
export const WAITED = "decisions that waited for home";
export const HOME_CALLS = "home calls per decision";
export const REGION_CALLS = "regional calls per decision";
export const COMMANDS = "billed commands per decision";
export const USABLE = "of what plain admits, admitted";
export const EXCESS = "admitted beyond the policy";
export const FAIRNESS = "fairness between regions, by Jain's index";

/** The scene of the figures by region, and of the picture. */
export const USUAL = "hot, even, load 0.9";
/** The scene of the excess in the picture. */
export const HARDEST = "hot, even, load 5";

/** The end of the name of a figure of one region. */
export const byRegion = (homeMs: number) => `${ADDED_P99}, ${homeMs} ms from home`;

export const figureName = (scene: string, end: string): string => `${scene}: ${end}`;
