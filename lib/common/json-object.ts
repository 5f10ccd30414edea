/** Whether a text is a JSON object. */
export function isJsonObject(text: string): boolean {
  return jsonObject(text) !== undefined;
}

/** The JSON object in a text; undefined where it is anything else. */
export function jsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}
