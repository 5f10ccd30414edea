import { performance } from 'node:perf_hooks';
import { type InboxScope } from '../../common/vocabulary.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { refusalOfNewer, type StoredVersion, versionFit } from '../stored-version.js';
import { luaScript } from './lua-script.js';
import { type RedisAccounts } from './redis-accounts.js';
import { type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';

/**
 * The format of the keys. A change, or a new key that other builds must know, needs the next `version`.
 * `compatibleFrom` rises to it if a build with the previous format would misread data, or would not write
 * data that this one relies on.
 */
const FORMAT: Required<StoredVersion> = { version: 1, compatibleFrom: 1 };

/**
 * ARGV: version and compatibility of this build. Returns the stored `<version> <compatible from>`, after
 * replacing an older format with this build's.
 */
const CLAIM_FORMAT = luaScript(`
local found = redis.call('GET', KEYS[1])
local version = found and (tonumber(string.match(found, '^%d+')) or math.huge)
if found and version >= tonumber(ARGV[1]) then return found end
local own = ARGV[1] .. ' ' .. ARGV[2]
-- Ignores the error of a full or read-only server: the next write reports it.
redis.pcall('SET', KEYS[1], own)
return own
`);

/** Redis may lose what it answered, in a fail-over too that no call of this process notices. */
const CHECK_AGAIN_MS = 60_000;

/** Refuses the data of an account in a format of a newer version that this one cannot read, and lists the account. */
export class FormatCheck {
  /** When the last check of each account began, by `performance.now()`. Infinity: it is being checked again. */
  private readonly checkedAt = new Map<string, number>();

  /** @param format The format of this build. */
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
    private readonly accounts: Pick<RedisAccounts, 'add'>,
    private readonly format: Required<StoredVersion> = FORMAT,
  ) {}

  /** Checks an account before anything else is done with it, and now and then again. */
  async of(scope: InboxScope): Promise<void> {
    const checkedAt = this.checkedAt.get(this.keys.format(scope));
    if (checkedAt === undefined) await this.check(scope);
    else if (checkedAt < Math.max(this.scripts.lostAt, performance.now() - CHECK_AGAIN_MS)) {
      this.checkAgain(scope);
    }
  }

  /** Nobody waits for it: in a cluster, the list of accounts may be on a server that is away. */
  private checkAgain(scope: InboxScope): void {
    const key = this.keys.format(scope);
    const beganAt = performance.now();
    this.checkedAt.set(key, Infinity);
    this.check(scope).then(
      // Its beginning: what was lost while it ran may be what it wrote.
      () => this.checkedAt.set(key, beganAt),
      // The next call checks it, and reports the error.
      () => this.checkedAt.delete(key),
    );
  }

  private async check(scope: InboxScope): Promise<void> {
    const key = this.keys.format(scope);
    const beganAt = performance.now();
    const { version, compatibleFrom } = this.format;
    const claim = [String(version), String(compatibleFrom)];
    const text = String(await this.scripts.run(CLAIM_FORMAT, [key], claim));
    const found = readFormat(text);
    if (versionFit(found, version) !== 'usable') {
      throw new PaymentsStorageError(
        `What Redis holds for the account ${JSON.stringify(scope.account)} has the format ${JSON.stringify(text)}, which ` +
          `${refusalOfNewer(found, version)}.`,
      );
    }
    if (await this.accounts.add(scope)) this.checkedAt.set(key, beganAt);
  }
}

/** `<version>`, or `<version> <compatible from>`. */
function readFormat(text: string): StoredVersion {
  const [version = '', compatibleFrom] = text.split(' ');
  return {
    version: Number(version),
    ...(compatibleFrom !== undefined && { compatibleFrom: Number(compatibleFrom) }),
  };
}
