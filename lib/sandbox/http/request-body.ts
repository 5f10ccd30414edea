import { type IncomingMessage } from 'node:http';
import { DEEPEST_NESTING, isHolder } from '../../common/json-object.js';

export const BODY_LIMIT = 1_048_576;

/** The whole body; undefined if it is larger than `BODY_LIMIT`. Rejects when the sender goes away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read the rest without keeping it: a sender that is still writing would lose the answer.
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  return size <= BODY_LIMIT ? Buffer.concat(chunks) : undefined;
}

/** Whether the request declares a JSON body. */
export function saysJson({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** A JSON object of at most a hundred levels; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isHolder(value) && !Array.isArray(value) && isShallow(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** Goes level by level: recursion would overflow on deep bodies. */
function isShallow(value: object): boolean {
  let level: readonly object[] = [value];
  for (let depth = 0; level.length > 0; depth += 1) {
    if (depth >= DEEPEST_NESTING) return false;
    level = level.flatMap((holder) => Object.values(holder).filter(isHolder));
  }
  return true;
}
