import { type Pool } from 'pg';

/** Hears what `NOTIFY` says; undefined where something may have been missed. */
export type NotificationListener = (payload: string | undefined) => void;

/** The shop's database, wherever it is. */
export abstract class Database {
  abstract readonly pool: Pool;
  abstract listen(channel: string, heard: NotificationListener): Promise<void>;
  abstract close(): Promise<void>;
}
