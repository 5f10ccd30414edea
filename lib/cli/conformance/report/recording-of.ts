import { type GatewayRecording, type RecordedExchange } from '../../../gateway-profile/gateway-recording.js';

/** The first answer of each kind, in the order in which they came. */
export function recordingOf(exchanges: readonly RecordedExchange[], recordedAt: Date): GatewayRecording {
  const kinds = new Map<string, RecordedExchange>();
  for (const exchange of exchanges) {
    const kind = kindOf(exchange);
    if (!kinds.has(kind)) kinds.set(kind, exchange);
  }
  return { version: 1, recordedAt: recordedAt.toISOString(), exchanges: [...kinds.values()] };
}

/** An operation with the code of its answer; messages by field have none. */
function kindOf({ operation, body }: RecordedExchange): string {
  const { code, errors } = body;
  return JSON.stringify([operation, code ?? Object.keys(errors ?? {})]);
}
