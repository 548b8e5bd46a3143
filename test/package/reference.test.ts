import { expect, test } from "vitest";

import manifest from "../../package.json" with { type: "json" };
import { readReference, withoutDocstring } from "../../scripts/build-reference/reference.ts";

test("every export of every entry has a docstring, which the reference shows", async () => {
  const reference = await readReference();
  expect(reference.project.children!.map(({ name }) => name).sort()).toEqual(
    Object.keys(manifest.exports)
      .filter((entry) => !entry.endsWith(".json"))
      .map((entry) => entry.replace(".", "tidegate"))
      .sort(),
  );
  expect(withoutDocstring(reference)).toEqual([]);
});
