// Sends the riders of an incident against an API, without a limiter and with each layer of it, on real parts. Then it
// plays scenes in which limiters go wrong: `npm run surge -- --help`.

import { endSignal } from "../../scripts/local-stack/end-signal.ts";
import { runProgram } from "../../scripts/support/program.ts";
import { surgeProgram } from "./program.ts";

// All parts end with this process.
endSignal().addEventListener("abort", () => process.exit(130));
await runProgram(surgeProgram());
