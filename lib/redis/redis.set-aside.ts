import {
  type InboxConflict,
  type InboxScope,
  type SetAsideDelivery,
  type SetAsideKind,
} from '../common/storage-port.js';
import { placeAfter, placeOf } from '../storage/conflict-cursor.js';
import { PURGE_BATCH } from './purge-in-batches.js';
import { type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';
import {
  GET_SET_ASIDE,
  LIST_SET_ASIDE,
  PURGE_SET_ASIDE,
  REMOVE_SET_ASIDE,
  SET_ASIDE,
} from './set-aside-scripts.js';
import { fieldIn, setAsideEntry, setAsideField, setAsideText } from './set-aside-text.js';

/** Deliveries that were stored instead of handled. */
export class RedisSetAside {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
  ) {}

  async add(delivery: SetAsideDelivery): Promise<void> {
    const values = [setAsideField(delivery), setAsideText(delivery)];
    await this.scripts.run(SET_ASIDE, this.keys.setAside(delivery), values);
  }

  async page(scope: InboxScope, after: string | undefined, limit: number): Promise<readonly InboxConflict[]> {
    const range = [placeAfter(after), String(limit)];
    const listed = await this.scripts.run(LIST_SET_ASIDE, this.keys.setAside(scope), range);
    return (listed as readonly string[]).map((text) => setAsideEntry(scope, text));
  }

  async get(scope: InboxScope, id: string): Promise<InboxConflict | undefined> {
    const stored = await this.scripts.run(GET_SET_ASIDE, this.keys.setAside(scope), [fieldIn(id)]);
    const entry = stored === null ? undefined : setAsideEntry(scope, stored as string);
    return entry?.id === id ? entry : undefined;
  }

  async remove(scope: InboxScope, id: string): Promise<void> {
    const entry = [fieldIn(id), placeOf(id) ?? ''];
    await this.scripts.run(REMOVE_SET_ASIDE, this.keys.setAside(scope), entry);
  }

  async purge(scope: InboxScope, kind: SetAsideKind, olderThanMs: number): Promise<number> {
    let all = 0;
    for (let after = '0'; after !== '';) {
      const args = [kind, String(olderThanMs), after, String(PURGE_BATCH)];
      const reply = await this.scripts.run(PURGE_SET_ASIDE, this.keys.setAside(scope), args);
      const [forgotten, next = ''] = reply as readonly string[];
      all += Number(forgotten);
      after = next;
    }
    return all;
  }
}
