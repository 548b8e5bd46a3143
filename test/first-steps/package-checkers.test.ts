import { readFileSync } from "node:fs";

import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { describe, expect, inject, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };

const tarballs = (): readonly string[] => [inject("tarball"), ...Object.values(inject("beside"))];

test("publint finds nothing in the packages", async () => {
  for (const file of tarballs()) {
    const { buffer } = new Uint8Array(readFileSync(file));
    const { messages, pkg } = await publint({ pack: { tarball: buffer }, strict: true });
    expect(
      messages.map((message) => formatMessage(message, pkg)),
      file,
    ).toEqual([]);
  }
});

describe("Are The Types Wrong", () => {
  test("finds nothing in an entry, for importers of modules and for bundlers", async () => {
    const tarball = new Uint8Array(readFileSync(inject("tarball")));
    const analysis = await checkPackage(createPackageFromTarballData(tarball));
    if (!analysis.types) throw new Error("no types were found");
    // The package has ES modules alone, so that resolutions for CommonJS do not concern it.
    const outside = new Set(["node10", "node16-cjs"]);
    const problems = analysis.problems.filter(
      (problem) => !("resolutionKind" in problem && outside.has(problem.resolutionKind)),
    );
    expect(problems).toEqual([]);
    expect(Object.keys(analysis.entrypoints)).toEqual(Object.keys(manifest.exports));
  });
});
