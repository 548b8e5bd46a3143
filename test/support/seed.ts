import fc from "fast-check";

/** A seed for the whole run, as a soak gives; without one, property tests draw their own and print it when they fail. */
const seed = process.env["TEST_SEED"];

if (seed !== undefined) fc.configureGlobal({ seed: Number(seed) });
