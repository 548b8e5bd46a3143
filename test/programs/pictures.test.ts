import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { expect, test } from "vitest";

import { PICTURES } from "../../scripts/pictures/pictures.ts";
import { run } from "../support/stack/command.ts";

const names = Object.keys(PICTURES);

/** Its width and height, as the header of an extended or a plain file of WebP has them. */
function sizeOf(webp: Buffer): readonly [number, number] {
  expect(webp.toString("latin1", 0, 4) + webp.toString("latin1", 8, 12)).toBe("RIFFWEBP");
  return webp.toString("latin1", 12, 16) === "VP8X"
    ? [webp.readUIntLE(24, 3) + 1, webp.readUIntLE(27, 3) + 1]
    : [webp.readUInt16LE(26) & 0x3fff, webp.readUInt16LE(28) & 0x3fff];
}

test("the quick ones are taken, each in its size, and no other file is written", async () => {
  const folder = await mkdtemp(join(tmpdir(), "pictures-"));
  try {
    const only = "dashboard-overview,dashboard-partition";
    const flags = ["--only", only, "--out", folder];
    const command = run([process.execPath, "scripts/pictures/main.ts", ...flags]);
    expect([await command.ended(), command.out(), command.err()]).toEqual([
      0,
      "",
      expect.stringMatching(/^opening, 1 of 3, about \d+ s left\n/),
    ]);
    expect((await readdir(folder)).sort()).toEqual(only.split(",").map((name) => `${name}.webp`));
    const sizes = only
      .split(",")
      .map(async (name) => sizeOf(await readFile(join(folder, `${name}.webp`))));
    expect(await Promise.all(sizes)).toEqual([
      [1_280, 940],
      [585, 1_266],
    ]);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the documents show each picture that can be taken, and no other", async () => {
  const files = names.map((name) => `${name}.webp`).sort();
  expect((await readdir("docs/pictures")).sort()).toEqual(files);
  const pages = ["dashboard", "live-rules"];
  const texts = await Promise.all(pages.map((page) => readFile(`docs/${page}.md`, "utf8")));
  const shown = [...texts.join("").matchAll(/\]\(pictures\/([\w-]+\.webp)\)/g)];
  expect([...new Set(shown.map(([, file]) => file))].sort()).toEqual(files);
  for (const file of files) {
    // The bytes that a reader of a page loads, on a phone too.
    expect((await readFile(join("docs/pictures", file))).length).toBeLessThan(100_000);
  }
});

test("a name that there is none of is refused, and --help says what there is", async () => {
  const command = run([process.execPath, "scripts/pictures/main.ts", "--only", "nothing"]);
  expect([await command.ended(), command.out()]).toEqual([2, ""]);
  const help = run([process.execPath, "scripts/pictures/main.ts", "--help"]);
  expect(await help.ended()).toBe(0);
  for (const name of names) expect(help.out()).toContain(name);
  expect(
    help
      .out()
      .split("\n")
      .filter((line) => line.length > 80),
  ).toEqual([]);
});
