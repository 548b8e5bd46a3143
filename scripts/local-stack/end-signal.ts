const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Aborts when this process is asked to end, or the npm that runs it is gone. These signals then have no other effect. */
export function endSignal(): AbortSignal {
  const asked = new AbortController();
  for (const name of SIGNALS) process.on(name, () => asked.abort());
  // Miniflare adds listeners that exit at once, before anything else has stopped.
  process.on("newListener", (name, listener) => {
    if (SIGNALS.includes(String(name))) {
      process.nextTick(() => process.removeListener(name, listener));
    }
  });
  // npm passes on SIGINT and SIGTERM only.
  if (process.env["npm_lifecycle_event"] !== undefined) {
    const npm = process.ppid;
    setInterval(() => process.ppid === npm || asked.abort(), 200).unref();
  }
  return asked.signal;
}
