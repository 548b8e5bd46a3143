/** A package of its own, whose parsers and client of Redis no library needs. */
const COMMAND_LINE = "@tidegate/cli";

try {
  await import(COMMAND_LINE);
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code !== "ERR_MODULE_NOT_FOUND" || !message.includes(COMMAND_LINE)) throw error;
  console.error(
    `The command line is the package ${COMMAND_LINE}. Install it with npm install --save-dev ${COMMAND_LINE}, or run npx ${COMMAND_LINE}.`,
  );
  process.exitCode = 2;
}
