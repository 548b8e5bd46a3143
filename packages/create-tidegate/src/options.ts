import { Command, Option } from "commander";

import { PLATFORMS, type PlatformName, type StoreName, STORES } from "./platforms.ts";
import { mistakeInOrigin } from "./settings.ts";

/** The settings of the command line. The rest is asked for, or has a default. */
export interface Given {
  readonly folder?: string | undefined;
  readonly origin?: string;
  readonly platform?: PlatformName;
  readonly store?: StoreName;
  readonly yes?: true;
}

/** Reads the arguments; throws a CommanderError that has been printed. */
export function readArguments(argv: readonly string[]): Given {
  const program = new Command("create-tidegate")
    .usage("[folder] [options]")
    .description("Creates a gateway in front of your API that limits each client.")
    .argument("[folder]", "a new or an empty one (default: this one if it is empty, else gateway)")
    .option("--origin <address>", "the address of your API", (origin) => {
      const mistake = mistakeInOrigin(origin);
      if (mistake !== undefined) program.error(`error: ${mistake}`);
      return origin;
    })
    .addOption(
      new Option("--platform <name>", "where it runs (default: cloudflare)").choices(
        Object.keys(PLATFORMS),
      ),
    )
    .addOption(
      new Option(
        "--store <name>",
        "where it counts (default: durable-object on Cloudflare, else redis)",
      ).choices(Object.keys(STORES)),
    )
    .option("--yes", "take the defaults, and ask nothing")
    .addHelpText("after", "\nExit codes: 0 created, 1 failed, 2 wrong usage, 130 cancelled")
    .showHelpAfterError("create-tidegate --help shows the options")
    .exitOverride();
  program.parse(argv, { from: "user" });
  const given: Given = { folder: program.args[0], ...program.opts<Given>() };
  const { platform = "cloudflare", store } = given;
  const { label, stores } = PLATFORMS[platform];
  if (store !== undefined && !stores.includes(store)) {
    program.error(`error: ${label} has no store ${store}. Use ${stores.join(" or ")}.`);
  }
  return given;
}
