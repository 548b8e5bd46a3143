/** Notes a broken promise. */
export type Say = (broken: string) => void;
