import type { Readable, Writable } from "node:stream";

import { group, intro, select, text } from "@clack/prompts";

import type { Given } from "./options.ts";
import { PLATFORMS, type PlatformName, type StoreName, STORES } from "./platforms.ts";
import { isFree, mistakeInOrigin, type Settings, usualFolder } from "./settings.ts";

/** The person has pressed Ctrl-C or Escape. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

export interface Terminal {
  readonly input: Readable;
  readonly output: Writable;
}

/** An answer is a symbol if the person has cancelled. */
interface Answers {
  readonly folder: string | symbol;
  readonly platform: PlatformName | symbol;
  readonly origin: string | symbol;
  readonly store: StoreName | symbol;
}

/** Asks for the settings that are not given. */
export async function ask(given: Given, terminal: Terminal): Promise<Settings> {
  intro("A gateway in front of your API", terminal);
  const answers = await group<Answers>(
    {
      folder: async () =>
        given.folder ??
        text({
          message: "Which folder?",
          initialValue: usualFolder(),
          validate: (folder) => (isFree(folder || ".") ? undefined : `${folder} is not empty.`),
          ...terminal,
        }),
      platform: async () =>
        given.platform ??
        select<PlatformName>({
          message: "Where does it run?",
          options: names(PLATFORMS)
            .filter((name) => given.store === undefined || has(name, given.store))
            .map((value) => ({ value, label: PLATFORMS[value].label })),
          ...terminal,
        }),
      origin: async () =>
        given.origin ??
        text({
          message: "What is the address of your API?",
          placeholder: "https://api.example.com",
          validate: mistakeInOrigin,
          ...terminal,
        }),
      store: async ({ results }) => {
        const { stores } = PLATFORMS[results.platform!];
        if (given.store !== undefined) return given.store;
        if (stores.length === 1) return stores[0];
        return select<StoreName>({
          message: "Where does it count?",
          options: stores.map((value) => ({ value, label: STORES[value] })),
          ...terminal,
        });
      },
    },
    {
      onCancel() {
        throw new Cancelled();
      },
    },
  );
  return { ...answers, folder: answers.folder || "." };
}

function has(platform: PlatformName, store: StoreName): boolean {
  return PLATFORMS[platform].stores.includes(store);
}

function names<Name extends string>(table: Readonly<Record<Name, unknown>>): readonly Name[] {
  return Object.keys(table) as Name[];
}
