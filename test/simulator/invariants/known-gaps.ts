/*
 * Where the product falls short of its promise, and the invariants look away. Each is found again within 60,000 seeds
 * once it is false; whoever closes a gap removes it here.
 */

/** `reset()` takes anything that is no error for a confirmation, also what somebody on the way made up. */
export const RESET_TRUSTS_ANY_REPLY = true;

/**
 * A fixed window that is counted when the clock goes back by more than a window leaves the grid, and the window after
 * it, which is on the grid again, may end at once: a third limit passes around the same boundary.
 */
export const FIXED_WINDOW_LEAVES_GRID = true;

/**
 * A log whose clock goes back twice, first by less than a window, forgets the longer wait that it told in between: what
 * an isolate knows outlasts what the server would say.
 */
export const LOG_SHORTENS_WAIT = true;
