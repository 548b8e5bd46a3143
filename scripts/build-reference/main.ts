// Builds the reference of the package's entries from the docstrings of src, as Markdown in dist/reference.

import { readReference } from "./reference.ts";

const { application, project } = await readReference();
await application.generateOutputs(project);
if (application.logger.hasErrors()) process.exitCode = 1;
