/** A file, and how each line begins that `rules check` prints of it, after the file's name. */
export interface FaultyFile {
  readonly title: string;
  readonly file: string;
  readonly text: string;
  readonly faults: readonly string[];
}

/** Makes faulty files of one name. */
export const faultyIn =
  (file: string) =>
  (title: string, text: string, ...faults: readonly string[]): FaultyFile => ({
    title,
    file,
    text,
    faults,
  });
