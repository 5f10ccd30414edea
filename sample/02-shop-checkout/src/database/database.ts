import { type Pool } from 'pg';

/** Gets the payload of a `NOTIFY`; undefined if notifications may have been lost. */
export type NotificationListener = (payload: string | undefined) => void;

/** The shop's database. */
export abstract class Database {
  abstract readonly pool: Pool;
  abstract listen(channel: string, heard: NotificationListener): Promise<void>;
  abstract close(): Promise<void>;
}
