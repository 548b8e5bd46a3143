/*
 * Where the product falls short of its promise, and the invariants look away. Whoever closes a gap removes it here; until
 * then, false lets the seed that is named with it find it again.
 */

/** `reset()` takes anything that is no error for a confirmation, also what somebody on the way made up. Seed 203. */
export const RESET_TRUSTS_ANY_REPLY = true;

/**
 * A fixed window that is counted when the clock goes back by more than a window leaves the grid, and the window after
 * it, which is on the grid again, may end at once: a third limit passes around the same boundary. Seed 139311.
 */
export const FIXED_WINDOW_LEAVES_GRID = true;

/**
 * A log whose clock goes back twice, first by less than a window, forgets the longer wait that it told in between: what
 * an isolate knows outlasts what the server would say. Seed 49955.
 */
export const LOG_SHORTENS_WAIT = true;
