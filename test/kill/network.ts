import { FaultyProxy, type NetworkFault } from '../support/faulty-proxy.js';
import { type ClientRequest } from '../support/request-splitter.js';
import { type History } from './history.js';
import { type PlannedFault, type StorageMode } from './plan.js';
import { storageRequests } from './storage-requests.js';

/** The network between the replicas and their storage: it breaks the requests that are planned to break, each once. */
export class Network {
  private readonly proxies: FaultyProxy[] = [];
  private readonly planned: Map<string, PlannedFault>;

  private constructor(
    private readonly mode: StorageMode,
    planned: ReadonlyMap<string, PlannedFault>,
    private readonly history: History,
  ) {
    this.planned = new Map(planned);
  }

  /** @param places How many replicas there are, each with a way of its own. */
  static async before(
    url: string,
    places: number,
    mode: StorageMode,
    planned: ReadonlyMap<string, PlannedFault>,
    history: History,
  ): Promise<Network> {
    const network = new Network(mode, planned, history);
    const { split } = storageRequests(mode);
    for (let place = 1; place <= places; place += 1) {
      network.proxies.push(
        await FaultyProxy.before(url, split, (request) => network.faultFor(request, place)),
      );
    }
    return network;
  }

  /** The storage's address for each replica. */
  get urls(): readonly string[] {
    return this.proxies.map(({ url }) => url);
  }

  async close(): Promise<void> {
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
  }

  /** Breaks a request at the first of its statements that is planned to break. */
  private faultFor({ statements }: ClientRequest, place: number): NetworkFault | undefined {
    for (const statement of statements) {
      const found = storageRequests(this.mode).kindOf(statement);
      const planned = found && this.planned.get(found.reference);
      if (!found || planned?.request !== found.request) continue;
      this.planned.delete(found.reference);
      this.history.add({ what: 'network', ...planned, reference: found.reference, place });
      return planned.fault;
    }
    return undefined;
  }
}
