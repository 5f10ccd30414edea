import { type CountedPayment, type DailyCapReached, type DailyShare } from '../daily-cap.js';
import {
  type DailyCapStore,
  type JournalInsertion,
  type JournalRecord,
  type JournalScope,
  type StoredJournalRecord,
} from '../journal-store.js';
import { type FormatCheck } from './format-check.js';
import { readInsertion, replaceArguments, scriptArguments, storedIn } from './journal-rows.js';
import { COUNTED_INSERT, COUNTED_REPLACE, GIVE_BACK } from './journal-scripts.js';
import { type LuaScript } from './lua-script.js';
import { type RedisKeys } from './redis-keys.js';
import { type ScriptRunner } from './script-runner.js';

/** The daily caps of all processes that share a Redis. A script writes a payment and counts it. */
export class RedisDailyCaps implements DailyCapStore {
  constructor(
    private readonly scripts: ScriptRunner,
    private readonly keys: RedisKeys,
    private readonly format: FormatCheck,
  ) {}

  async insert(
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(JournalInsertion & CountedPayment) | DailyCapReached> {
    const args = [...scriptArguments(record, leaseMs), ...shareArguments(share)];
    const reply = await this.run(COUNTED_INSERT, record, args);
    return reachedIn(reply) ?? { ...readInsertion(reply, record), countedOn: dayIn(reply, 3) };
  }

  async replace(
    version: number,
    record: JournalRecord,
    leaseMs: number,
    share: DailyShare,
  ): Promise<(StoredJournalRecord & CountedPayment) | DailyCapReached | undefined> {
    const args = [...replaceArguments(version, record, leaseMs), ...shareArguments(share)];
    const reply = await this.run(COUNTED_REPLACE, record, args);
    const reached = reachedIn(reply);
    if (reached) return reached;
    const stored = storedIn(reply, record);
    return stored && { ...stored, countedOn: dayIn(reply, 2) };
  }

  async release(scope: JournalScope, day: number, cents: number): Promise<void> {
    await this.run(GIVE_BACK, scope, [String(day), String(cents)]);
  }

  private async run(script: LuaScript, scope: JournalScope, args: readonly string[]): Promise<unknown> {
    await this.format.of(scope);
    return this.scripts.run(script, this.keys.countedJournal(scope), args);
  }
}

function shareArguments({ cents, maxCount, maxCents }: DailyShare): readonly string[] {
  return [cents, maxCount ?? '', maxCents ?? ''].map(String);
}

/** The day that a script wrote behind the row. */
function dayIn(reply: unknown, at: number): number | undefined {
  const day = (reply as readonly string[])[at];
  return day === undefined ? undefined : Number(day);
}

function reachedIn(reply: unknown): DailyCapReached | undefined {
  const [said, day] = (reply ?? []) as readonly string[];
  return said === 'reached' ? { reachedOn: Number(day) } : undefined;
}
