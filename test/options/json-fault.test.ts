import { expect, test } from "vitest";

import { positionOfFault } from "../../src/options/json-fault.ts";

test.for([
  [
    "Expected ',' or '}' after property value in JSON at position 12 (line 2 column 5)",
    "at position 12 (line 2 column 5)",
  ],
  ["Unexpected token h in JSON at position 1", "at position 1"],
  // An engine quotes the text, which may say anything.
  ["Unexpected token 'h', \"{ hat position\" is not valid JSON", ""],
])("of %j only %j is shown", ([message, place]) => {
  expect(positionOfFault(new SyntaxError(message))).toBe(place);
});
