/** Whether it is an object with values by their names. A Map or a list is not such an object, whatever it contains. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === "[object Object]";
}
