import { pathToFileURL } from 'node:url';
import { afterEach, expect, it, vi } from 'vitest';

interface Message {
  readonly name: string;
}
interface Hub {
  join(listener: (message: Message) => void): void;
}

/** A stream of the browser that a test opens and breaks. */
class Stream extends EventTarget {
  static readonly OPEN = 1;
  readyState = 0;

  open(): void {
    this.readyState = Stream.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  lose(): void {
    this.readyState = 0;
    this.dispatchEvent(new Event('error'));
  }
}

afterEach(() => {
  vi.unstubAllGlobals();
});

it('a tab that joins while the shared stream is lost is told to read, and the others that it lives again', async () => {
  const stream = new Stream();
  vi.stubGlobal(
    'EventSource',
    Object.assign(
      function () {
        return stream;
      },
      { OPEN: Stream.OPEN },
    ),
  );
  vi.stubGlobal('navigator', { language: 'en' });
  const file = pathToFileURL('lib/sandbox/page/event-hub.js').href;
  const { EventHub } = (await import(file)) as { readonly EventHub: new () => Hub };
  const hub = new EventHub();
  const heard: Readonly<Record<string, string[]>> = { first: [], second: [] };
  hub.join(({ name }) => heard['first']?.push(name));
  stream.open();
  stream.lose();
  hub.join(({ name }) => heard['second']?.push(name));
  stream.open();
  stream.lose();
  stream.open();
  expect(heard).toEqual({
    first: ['reset', 'lost', 'live', 'lost', 'live'],
    second: ['reset', 'lost', 'live'],
  });
});
