/** Notes what breaks a promise. */
export type Say = (broken: string) => void;
