import { startBridge } from "./bridge.ts";
import { readOptions, type Settings, USAGE } from "./options.ts";

function fail(error: unknown, status: number): never {
  const { code, message } = error as NodeJS.ErrnoException;
  console.error(`redis-rest: ${code === "EADDRINUSE" ? `port in use (${message})` : message}`);
  process.exit(status);
}

let settings: Settings | undefined;
try {
  settings = readOptions(process.argv.slice(2));
} catch (error) {
  fail(error, 2);
}
if (!settings) {
  console.log(USAGE);
  process.exit(0);
}

const tell = (line: string) => console.error(`redis-rest: ${line}`);
const bridge = await startBridge({ ...settings.options, tell }).catch((error: unknown) =>
  fail(error, 1),
);
// Before it says that it is there: a program that waited for that may end it at once.
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => void bridge.close());
}
console.log(`redis-rest: ${bridge.url}`);
// The one place where it stands.
if (settings.drawn) console.log(`redis-rest: token ${bridge.token}`);
if (!bridge.connected) tell("Redis isn't reachable yet; requests are answered 503 until it is");
