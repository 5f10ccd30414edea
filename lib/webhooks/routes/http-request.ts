import { type ExecutionContext } from '@nestjs/common';
import { type IncomingMessage } from 'node:http';

/** Node's own request behind the one of Express or Fastify. */
export function nodeRequest(context: ExecutionContext): IncomingMessage {
  const request = context.switchToHttp().getRequest<IncomingMessage & { readonly raw?: IncomingMessage }>();
  return request.raw ?? request;
}

/** Header values by lower-case name, repeated ones apart: Node joins them in `headers`. */
export function headerValues({ rawHeaders }: IncomingMessage): ReadonlyMap<string, readonly string[]> {
  const values = new Map<string, string[]>();
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = (rawHeaders[index] ?? '').toLowerCase();
    const value = rawHeaders[index + 1] ?? '';
    const others = values.get(name);
    if (others) others.push(value);
    else values.set(name, [value]);
  }
  return values;
}
