/** One line or one layer of a picture. */
export interface Series {
  readonly label: string;
  /** The name of a colour, such as `--allowed`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
}
