// Breaks copies of the project in small ways, and shows which test notices: `npm run test:mutants -- --help`.

import { runProgram } from "../../scripts/support/program.ts";
import { mutantsProgram } from "./program.ts";

// The copies are removed when the process exits, so that an interrupted run leaves none.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => process.exit(130));
await runProgram(mutantsProgram());
