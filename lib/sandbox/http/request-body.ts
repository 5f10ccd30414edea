import { type IncomingMessage } from 'node:http';

export const BODY_LIMIT = 1_048_576;

/** The whole body; undefined where it is larger than `BODY_LIMIT`. Rejects when the sender goes away. */
export async function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Read on without keeping it: an answer to a sender who is still writing would be lost.
    if (size <= BODY_LIMIT) chunks.push(chunk);
  }
  return size <= BODY_LIMIT ? Buffer.concat(chunks) : undefined;
}

/** Whether the request says that its body is JSON. */
export function saysJson({ headers }: IncomingMessage): boolean {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
}

/** A JSON object; undefined for anything else. */
export function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
