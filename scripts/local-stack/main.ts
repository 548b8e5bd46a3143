import { once } from "node:events";

import { endSignal } from "./end-signal.ts";

const signal = endSignal();
// Later than the listeners, because loading all of it takes a moment.
const { banner } = await import("./banner.ts");
const { startLocalStack } = await import("./local-stack.ts");
const { readSettings } = await import("./settings.ts");

try {
  const stack = await startLocalStack({ ...readSettings(process.env), signal });
  console.log(banner(stack));
  console.log(`ready ${stack.workers[0]}`);
  if (!signal.aborted) await once(signal, "abort");
  await stack.stop();
} catch (error) {
  if (!signal.aborted) {
    console.error(`tidegate: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
process.exit();
