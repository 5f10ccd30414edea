import { type InboxScope } from '../../common/vocabulary.js';
import { PaymentsStorageError } from '../../errors/payments-errors.js';
import { refusalOfNewer, type StoredVersion, versionFit } from '../stored-version.js';
import { luaScript } from './lua-script.js';
import { type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';

/**
 * The format of the keys. Changing it, or adding a key that others must know of, needs the next `version`;
 * `compatibleFrom` rises to it where a build that knows only the format before would misread what is there, or leave
 * out what this one relies on.
 */
const FORMAT: Required<StoredVersion> = { version: 1, compatibleFrom: 1 };

/**
 * ARGV: version and compatibility of this build. What stands: `<version> <compatible from>`; this build's
 * where it is an older format.
 */
const CLAIM_FORMAT = luaScript(`
local found = redis.call('GET', KEYS[1])
local version = found and (tonumber(string.match(found, '^%d+')) or math.huge)
if found and version >= tonumber(ARGV[1]) then return found end
local own = ARGV[1] .. ' ' .. ARGV[2]
-- A full or read-only server says so where something is to be written.
redis.pcall('SET', KEYS[1], own)
return own
`);

/**
 * Refuses to read or write the data of an account that a newer version of the package has made unreadable for this one.
 */
export class FormatCheck {
  private readonly checked = new Set<string>();

  /** @param format That of this build. */
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
    private readonly format: Required<StoredVersion> = FORMAT,
  ) {}

  /** Asks once for each account. */
  async of(scope: InboxScope): Promise<void> {
    const key = this.keys.format(scope);
    if (this.checked.has(key)) return;
    const { version, compatibleFrom } = this.format;
    const text = String(
      await this.scripts.run(CLAIM_FORMAT, [key], [String(version), String(compatibleFrom)]),
    );
    const found = readFormat(text);
    if (versionFit(found, version) !== 'usable') {
      throw new PaymentsStorageError(
        `What Redis holds for the account ${JSON.stringify(scope.account)} has the format ${JSON.stringify(text)}, which ` +
          `${refusalOfNewer(found, version)}.`,
      );
    }
    this.checked.add(key);
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
