/** What a client sends in one go. */
export interface ClientRequest {
  readonly bytes: Buffer;
  /** Each statement with its parameters, also if the connection has prepared it before. */
  readonly statements: readonly string[];
}

/** Takes what a client sends as it comes; returns the requests that are whole now. */
export type SplitRequests = (chunk: Buffer) => ClientRequest[];

interface Message {
  readonly type: string;
  readonly body: Buffer;
  /** Where the next one begins. */
  readonly end: number;
}

/** Requests of a client of PostgreSQL: everything up to a simple query, a `Sync` or the goodbye. */
export function postgresRequests(): SplitRequests {
  let begun = false;
  const prepared = new Map<string, string>();
  return splitter(
    (bytes) => {
      // Only the first message has no type: it says who the client is.
      if (!begun) {
        begun = bytes.length >= 4 && bytes.length >= bytes.readInt32BE(0);
        return begun ? bytes.readInt32BE(0) : undefined;
      }
      for (let message = messageAt(bytes, 0); message; message = messageAt(bytes, message.end)) {
        if ('QSXp'.includes(message.type)) return message.end;
      }
      return undefined;
    },
    (request) => statementsOf(request, prepared),
  );
}

function messageAt(bytes: Buffer, at: number): Message | undefined {
  if (bytes.length < at + 5) return undefined;
  const end = at + 1 + bytes.readInt32BE(at + 1);
  if (bytes.length < end) return undefined;
  return { type: String.fromCharCode(bytes[at] ?? 0), body: bytes.subarray(at + 5, end), end };
}

/** @param prepared The texts that the connection knows by their names; those of the request are added. */
function statementsOf(request: Buffer, prepared: Map<string, string>): string[] {
  const statements: string[] = [];
  for (let message = messageAt(request, 0); message; message = messageAt(request, message.end)) {
    const [first = '', second = ''] = message.body.toString('latin1').split('\0', 2);
    // The name and the text of a statement; the portal and the name of a statement.
    if (message.type === 'P') prepared.set(first, second);
    if (message.type === 'B') statements.push(`${prepared.get(second)} ${message.body.toString('latin1')}`);
    if (message.type === 'Q') statements.push(first);
  }
  return statements;
}

/** Commands of a client of Redis: arrays of texts. */
export function redisRequests(): SplitRequests {
  return splitter(endOfCommand, (command) => [command.toString('latin1')]);
}

function endOfCommand(bytes: Buffer): number | undefined {
  let at = 0;
  const number = (): number | undefined => {
    const end = bytes.indexOf('\r\n', at);
    if (end < 0) return undefined;
    const value = Number(bytes.toString('latin1', at + 1, end));
    at = end + 2;
    return value;
  };
  const parts = number();
  for (let part = 0; part < (parts ?? 0); part += 1) {
    const length = number();
    if (length === undefined) return undefined;
    at += length + 2;
  }
  return parts === undefined || at > bytes.length ? undefined : at;
}

/** @param endOfFirst Where the first request ends; undefined if it is not whole. */
function splitter(
  endOfFirst: (bytes: Buffer) => number | undefined,
  statementsOf: (request: Buffer) => string[],
): SplitRequests {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const requests: ClientRequest[] = [];
    for (let end = endOfFirst(rest); end !== undefined; end = endOfFirst(rest)) {
      const bytes = rest.subarray(0, end);
      requests.push({ bytes, statements: statementsOf(bytes) });
      rest = rest.subarray(end);
    }
    return requests;
  };
}
