/** One message of the control API's live stream. */
export interface StreamedEvent {
  readonly id: string | undefined;
  readonly name: string;
  readonly data: unknown;
}

/** A listener to the control API's live stream. */
export interface EventStream {
  readonly contentType: string | null;
  /** The messages up to and with the first of this name. Rejects when the stream ends before. */
  until(name: string): Promise<readonly StreamedEvent[]>;
  close(): void;
}

export async function listenTo(url: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const messages = messagesOf(response);
  return {
    contentType: response.headers.get('content-type'),
    until: async (name) => {
      const events: StreamedEvent[] = [];
      while (events.at(-1)?.name !== name) {
        const next = await messages.next();
        if (next.done === true) throw new Error(`The stream ended before ${name}.`);
        events.push(next.value);
      }
      return events;
    },
    close: () => {
      abort.abort();
    },
  };
}

async function* messagesOf(response: Response): AsyncGenerator<StreamedEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(block.split('\n').map((line) => line.split(/: (.*)/s) as [string, string]));
      const name = fields.get('event');
      if (name !== undefined)
        yield { id: fields.get('id'), name, data: JSON.parse(fields.get('data') ?? 'null') };
    }
  }
}
