import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { Coverage } from './coverage.js';
import { type Plan } from './plan.js';
import { type ModelStorage } from './storages.js';
import { Story } from './story.js';

/** Plays one story after the other; the address for webhooks serves whichever is played. */
export class Model {
  /** How often each end of a call was seen. */
  readonly ends = new Map<string, number>();
  readonly coverage: Coverage;
  private story: Story | undefined;

  private constructor(
    private readonly front: Server,
    private readonly storage: ModelStorage,
  ) {
    this.coverage = new Coverage(storage.enlists);
  }

  /** Closes the storage at its own end. */
  static async open(storage: ModelStorage): Promise<Model> {
    const front = createServer((request, response) => model.story?.listener(request, response));
    front.listen(0, '127.0.0.1');
    await once(front, 'listening');
    const model: Model = new Model(front, storage);
    return model;
  }

  /** Plays a plan from an empty journal to its end. Rejects if money was not safe. */
  async play(plan: Plan): Promise<void> {
    const { port } = this.front.address() as AddressInfo;
    const store = await this.storage.begin(plan.journalSize);
    this.story = new Story(plan, store, port, (end) => this.ends.set(end, (this.ends.get(end) ?? 0) + 1));
    try {
      await this.story.play();
      this.coverage.add(this.story.reached);
    } finally {
      await this.story.close();
      this.story = undefined;
      await store.end();
    }
  }

  async close(): Promise<void> {
    this.front.closeAllConnections();
    await new Promise((resolve) => this.front.close(resolve));
    await this.storage.close();
  }
}
