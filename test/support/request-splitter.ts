/** Takes what a client sends as it comes; returns the requests that are whole now. */
export type SplitRequests = (chunk: Buffer) => Buffer[];

/** Requests of a client of PostgreSQL: everything up to a simple query, a `Sync` or the goodbye. */
export function postgresRequests(): SplitRequests {
  let begun = false;
  return splitter((bytes) => {
    // Only the first message has no type: it says who the client is.
    const first = begun ? 1 : 0;
    for (let at = 0; bytes.length >= at + first + 4;) {
      const type = begun ? String.fromCharCode(bytes[at] ?? 0) : 'Q';
      const end = at + first + bytes.readInt32BE(at + first);
      if (bytes.length < end) return undefined;
      begun = true;
      if ('QSXp'.includes(type)) return end;
      at = end;
    }
    return undefined;
  });
}

/** Commands of a client of Redis: arrays of texts. */
export function redisRequests(): SplitRequests {
  return splitter((bytes) => {
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
  });
}

/** @param endOfFirst Where the first request ends; undefined if it is not whole. */
function splitter(endOfFirst: (bytes: Buffer) => number | undefined): SplitRequests {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const requests: Buffer[] = [];
    for (let end = endOfFirst(rest); end !== undefined; end = endOfFirst(rest)) {
      requests.push(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
    return requests;
  };
}
