import { type BackendFactory, type RedisOptions } from 'bullmq';
import { isRecord } from '../../common/json-object.js';
import { type OptionError } from '../../errors/option-errors.js';
import { connectionOptions, producerConnection, workerConnection } from './queue-connection.js';

/** The options of `bullmqEngine` after validation, with defaults. */
export interface EngineSettings {
  readonly jobs: JobStorage;
  readonly queueName: string;
  /** Undefined: BullMQ's default. */
  readonly prefix: string | undefined;
  readonly linesPerSecond: number | undefined;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly worker: boolean;
}

/** Where BullMQ keeps jobs. */
interface JobStorage {
  /** For messages. */
  readonly name: string;
  readonly producer: RedisOptions;
  readonly worker: RedisOptions;
  readonly backend: BackendFactory | undefined;
}

/** Jobs in Redis. */
export function redisJobs(given: unknown, error: OptionError): JobStorage {
  const connection = connectionOptions(given, error);
  return {
    name: 'Redis',
    producer: producerConnection(connection),
    worker: workerConnection(connection),
    backend: undefined,
  };
}

/** Jobs in another backend. The connection is what the backend takes, and BullMQ 5 has no type for it. */
export function otherJobs(backend: object, given: unknown, error: OptionError): JobStorage {
  if (!isRecord(given) && typeof given !== 'string') {
    throw error('connection', 'is missing: write what the backend takes, for example a Pool of pg.');
  }
  const connection = given as RedisOptions;
  return {
    name: 'The database of the jobs',
    producer: connection,
    worker: connection,
    backend: backend as BackendFactory,
  };
}
