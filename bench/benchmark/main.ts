// Measures Tidegate against its peers, on real parts only: `npm run bench -- --help`.

import { endSignal } from "../../scripts/local-stack/end-signal.ts";
import { runProgram } from "../../scripts/support/program.ts";
import { benchmarkProgram } from "./program.ts";

// All parts end with this process.
endSignal().addEventListener("abort", () => process.exit(130));
await runProgram(benchmarkProgram());
