import { isRecord } from '../common/json-object.js';
import { LOOKUP_CHANNELS } from '../common/vocabulary.js';
import { PaymentsConfigError } from '../errors/payments-errors.js';

/** What stands for a text that is not kept. */
export const REDACTED = '…';

/**
 * One answer of a gateway, without the texts that could be personal.
 *
 * @publicApi
 */
export interface RecordedExchange {
  /** Method and path below `/api/v1`. */
  readonly operation: string;
  /** The HTTP status. */
  readonly status: number;
  /** The body. `…` stands for a text that is not kept; statuses, codes, channels, amounts and the names of fields are as they were. */
  readonly body: Readonly<Record<string, unknown>>;
}

/**
 * Answers that a gateway gave: what `conformance --record` writes and `GatewayReplay` reads. It has no keys, names, phone numbers or
 * account numbers.
 *
 * @publicApi
 */
export interface GatewayRecording {
  /** The form of the file. */
  readonly version: 1;
  /** When it was recorded, ISO 8601 in UTC. */
  readonly recordedAt: string;
  /** One answer of each kind: a success of each operation and channel, and a refusal of each operation and code. */
  readonly exchanges: readonly RecordedExchange[];
}

/** The channel that a success names; undefined if it names none. One example of the specification calls it `type`. */
export function channelOf(body: RecordedExchange['body']): string | undefined {
  const { data } = body;
  if (!isRecord(data)) return undefined;
  return LOOKUP_CHANNELS.find((channel) => channel === data['channel'] || channel === data['type']);
}

/**
 * Checks what was read as a recording.
 *
 * @throws PaymentsConfigError that says what is wrong.
 */
export function readRecording(value: unknown): GatewayRecording {
  if (!isRecord(value) || value['version'] !== 1 || !Array.isArray(value['exchanges'])) {
    throw new PaymentsConfigError(
      'This is no recording of a gateway of version 1: read the file that `conformance --record` wrote.',
    );
  }
  const wrong = value['exchanges'].findIndex((exchange) => !isExchange(exchange));
  if (wrong >= 0) {
    throw new PaymentsConfigError(
      `The recording's exchange ${wrong + 1} has no operation, status or body: record the gateway again.`,
    );
  }
  return value as unknown as GatewayRecording;
}

function isExchange(value: unknown): boolean {
  return (
    isRecord(value) &&
    typeof value['operation'] === 'string' &&
    Number.isInteger(value['status']) &&
    isRecord(value['body'])
  );
}
