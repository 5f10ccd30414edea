import { type SplitRequests, postgresRequests, redisRequests } from '../support/request-splitter.js';
import { type BrokenRequest, STORAGES, type StorageMode } from './plan.js';

/** How to find the requests of an event in what a replica sends to its storage. */
export interface StorageRequests {
  readonly split: () => SplitRequests;
  /** Which step of handling an outcome a statement with its parameters is; undefined: another one. */
  readonly kindOf: (
    statement: string,
  ) => { readonly request: BrokenRequest; readonly reference: string } | undefined;
}

const REFERENCE = /order-\d{6}/;
/** In the statement that is sent together with the COMMIT, every text stands as hex digits. */
const REFERENCE_IN_HEX = new RegExp(`${Buffer.from('order-').toString('hex')}(?:3\\d){6}`);

const POSTGRES: StorageRequests = {
  split: postgresRequests,
  kindOf: (text) => {
    if (text.includes('COMMIT')) {
      const [hex] = REFERENCE_IN_HEX.exec(text) ?? [];
      return hex === undefined ? undefined : { request: 'record', reference: fromHex(hex) };
    }
    const [reference] = REFERENCE.exec(text) ?? [];
    if (reference === undefined || !text.includes('payments_inbox')) return undefined;
    if (text.includes('INSERT INTO')) return { request: 'claim', reference };
    return text.includes("SET state = 'done'") ? { request: 'record', reference } : undefined;
  },
};

const REDIS: StorageRequests = {
  split: redisRequests,
  kindOf: (command) => {
    // EVALSHA <sha> 2 <entries> <done> <field> <token> …, or EVAL with the source instead of the digest.
    const parts = textsOf(Buffer.from(command, 'latin1'));
    const [, , , entries = '', , field = '', ...more] = parts;
    const [reference] = REFERENCE.exec(field) ?? [];
    if (!entries.endsWith(':inbox') || !field.startsWith('outcome:') || reference === undefined)
      return undefined;
    if (more.some((text) => text.startsWith('payment.'))) return { request: 'claim', reference };
    // With a handler's name behind the token it is a mark, without one a finish.
    return more.length > 0 ? { request: 'record', reference } : undefined;
  },
};

export function storageRequests(mode: StorageMode): StorageRequests {
  return STORAGES[mode].server === 'postgres' ? POSTGRES : REDIS;
}

/** The texts of a command of Redis. */
function textsOf(command: Buffer): string[] {
  const texts: string[] = [];
  for (let at = command.indexOf('\r\n') + 2; at > 1 && at < command.length;) {
    const start = command.indexOf('\r\n', at) + 2;
    const length = Number(command.toString('latin1', at + 1, start - 2));
    texts.push(command.toString('utf8', start, start + length));
    at = start + length + 2;
  }
  return texts;
}

function fromHex(text: string): string {
  return Buffer.from(text, 'hex').toString();
}
