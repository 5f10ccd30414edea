import {
  channelOf,
  type GatewayRecording,
  type RecordedExchange,
} from '../../../gateway-profile/gateway-recording.js';

/** The first answer of each kind, in the order in which they came. */
export function recordingOf(exchanges: readonly RecordedExchange[], recordedAt: Date): GatewayRecording {
  const kinds = new Map<string, RecordedExchange>();
  for (const exchange of exchanges) {
    const kind = kindOf(exchange);
    if (!kinds.has(kind)) kinds.set(kind, exchange);
  }
  return { version: 1, recordedAt: recordedAt.toISOString(), exchanges: [...kinds.values()] };
}

/** The operation, its code or the fields that have messages, and its channel: answers of another channel have other fields. */
function kindOf({ operation, body }: RecordedExchange): string {
  const { code, errors } = body;
  return JSON.stringify([operation, code ?? Object.keys(errors ?? {}).sort(), channelOf(body)]);
}
