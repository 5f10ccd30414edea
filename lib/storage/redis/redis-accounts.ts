import { performance } from 'node:perf_hooks';
import { type InboxScope } from '../../common/vocabulary.js';
import { type AccountPage, type AccountPageStart } from '../account-page.js';
import { luaScript } from './lua-script.js';
import { type RedisClient } from './redis-client.js';
import { type RedisKeys } from './redis-keys.js';
import { ScriptRunner } from './script-runner.js';

/** ARGV: accounts. Ignores the error of a full or read-only server, and returns 0: the next write reports it. */
const ADD = luaScript(`
local reply
for i = 1, #ARGV do
  reply = redis.pcall('ZADD', KEYS[1], 0, ARGV[i])
  if type(reply) == 'table' and reply.err then return 0 end
end
return 1
`);

/** ARGV: the start as of ZRANGEBYLEX, the maximum number. */
const PAGE = luaScript(`return redis.call('ZRANGEBYLEX', KEYS[1], ARGV[1], '+', 'LIMIT', 0, ARGV[2])`);

/** Returns the name of the key as the server knows it: a client may put something in front. */
const FULL_NAME = luaScript(`return KEYS[1]`);

/** ARGV: cursor, pattern, number. Returns the next cursor and the keys that match. */
const SCAN = luaScript(`
local reply = redis.call('SCAN', ARGV[1], 'MATCH', ARGV[2], 'COUNT', ARGV[3])
return { reply[1], unpack(reply[2]) }
`);

/** How many keys of the server one step of the search looks at. */
const STEP = '1000';
/** How long a page waits for the search, which continues with the next page. */
const SEARCH_MS = 1_000;
/** Builds without this list may work beside this one for a while. */
const SEARCH_AGAIN_MS = 3_600_000;

/** Where a search stands: the servers that are left, and the position in the first of them. */
interface Search {
  readonly pattern: string;
  readonly start: number;
  readonly servers: ScriptRunner[];
  cursor: string;
}

/**
 * The accounts in a sorted set. Each process adds an account before it does anything else with it. What earlier builds
 * wrote is found by the keys of the accounts, in a search now and then.
 */
export class RedisAccounts {
  private search: Search | undefined;
  /** The step that runs: concurrent pages wait for the same one, as two would move one cursor. */
  private stepping: Promise<void> | undefined;
  private searchedAt = -Infinity;
  /** A closure, because the client holds the password and unsent data. */
  private readonly client: () => RedisClient;

  constructor(
    client: RedisClient,
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
  ) {
    this.client = () => client;
  }

  /** False if the account could not be added. Never rejects: in a cluster, the set may be on a server that is away. */
  async add({ account, environment }: InboxScope): Promise<boolean> {
    const added = this.scripts.run(ADD, [this.keys.accounts()], [`${account}:${environment}`]);
    return added.then(
      (reply) => Number(reply) === 1,
      () => false,
    );
  }

  async page({ after, limit }: AccountPageStart): Promise<AccountPage> {
    await this.searchOn();
    const range = [after === undefined ? '-' : `(${after}`, String(limit + 1)];
    const found = (await this.scripts.run(PAGE, [this.keys.accounts()], range)) as readonly string[];
    const page = found.slice(0, limit);
    const last = page.at(-1);
    const accounts = page.map(scopeIn);
    return last !== undefined && found.length > limit ? { accounts, next: last } : { accounts };
  }

  /** Continues with the search, or begins it if it is time. */
  private async searchOn(): Promise<void> {
    if (!this.search && performance.now() - this.searchedAt < SEARCH_AGAIN_MS) return;
    const endsAt = performance.now() + SEARCH_MS;
    do {
      this.stepping ??= this.step().finally(() => (this.stepping = undefined));
      await this.stepping;
    } while (this.search && performance.now() < endsAt);
  }

  private async beginSearch(): Promise<Search> {
    const format = this.keys.format({ account: '*', environment: 'sandbox' });
    const name = String(await this.scripts.run(FULL_NAME, [format], []));
    const start = name.lastIndexOf('{*:sandbox}');
    const pattern = `${name.slice(0, start).replace(/[*?[\]^\\]/g, '\\$&')}{*}:format`;
    const client = this.client();
    const nodes = client.nodes?.('master') ?? [client];
    return { pattern, start: start + 1, servers: nodes.map((node) => new ScriptRunner(node)), cursor: '0' };
  }

  private async step(): Promise<void> {
    const search = (this.search ??= await this.beginSearch());
    const [server] = search.servers;
    if (!server) {
      this.search = undefined;
      this.searchedAt = performance.now();
      return;
    }
    const { cursor, pattern, start } = search;
    const reply = await server.run(SCAN, [], [cursor, pattern, STEP]).catch((error: unknown) => {
      // A server that has left the cluster never answers again. The next search asks those that are there then.
      if (this.client().nodes) this.search = undefined;
      throw error;
    });
    const [next = '0', ...names] = reply as readonly string[];
    const found = names.map((name) => name.slice(start, name.lastIndexOf('}')));
    if (found.length > 0) await this.scripts.run(ADD, [this.keys.accounts()], found);
    search.cursor = next;
    if (next === '0') search.servers.shift();
  }
}

/** No environment contains a colon. */
function scopeIn(text: string): InboxScope {
  const end = text.lastIndexOf(':');
  return {
    account: text.slice(0, end),
    environment: text.slice(end + 1) as InboxScope['environment'],
  };
}
