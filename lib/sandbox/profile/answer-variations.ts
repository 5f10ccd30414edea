import { type GatewayAnswer } from '../core/gateway-answer.js';
import { type Choices } from './choices.js';
import {
  addUnknownFields,
  type Change,
  type Fields,
  shuffleFields,
  varyIds,
  varyMetadata,
  varyMoney,
  varyTimestamps,
} from './value-variations.js';

/** One deviation from the documented answer that the specification allows. */
interface Variation {
  readonly name: string;
  readonly probability: number;
  readonly change: (answer: GatewayAnswer, choices: Choices) => GatewayAnswer;
}

const ACCEPTED_STATUSES: Readonly<Record<string, readonly [string, ...string[]]>> = {
  pending: ['processing', 'queued', 'PENDING', 'awaiting_authorization'],
  processing: ['pending', 'submitted', 'PROCESSING', 'sent_to_provider'],
};
const OF_SUCCESS: readonly Variation[] = [
  inBody('another meta', 0.5, ({ meta: _, ...others }, choices) => {
    const meta = choices.pick<unknown>(['absent', {}, { page: 1 }, null]);
    return meta === 'absent' ? others : { ...others, meta };
  }),
  inData('amounts as another type', 0.6, varyMoney),
  inData('timestamps in another form', 0.4, (data, choices) =>
    varyTimestamps(data, choices, 'may be absent'),
  ),
  inData('empty metadata in another form', 0.5, varyMetadata),
  inData('ids as strings', 0.3, varyIds),
  inData('an unlisted status', 0.4, (data, choices) => {
    const others = ACCEPTED_STATUSES[String(data['status'])];
    return others ? { ...data, status: choices.pick(others) } : data;
  }),
  inData('unknown fields in data', 0.5, addUnknownFields),
  inData('data in another order', 0.3, shuffleFields),
  anotherMessage('Imefanikiwa ✓', 'OK', ''),
];

const OF_REFUSAL: readonly Variation[] = [
  inBody('a request_id in the error', 0.3, (body) => ({
    ...body,
    request_id: '6f2c1d5e-8a55-4c7b-9d0e-2b1f7a3c4d5e',
  })),
  anotherMessage('Ombi limekataliwa', 'Error', ''),
];

const OF_EVERY_ANSWER: readonly Variation[] = [
  inBody('unknown fields in the envelope', 0.4, addUnknownFields),
  inBody('the envelope in another order', 0.3, shuffleFields),
];

/** Varies an answer within the specification, and lists the variations. */
export function varyAnswer(
  answer: GatewayAnswer,
  choices: Choices,
): { readonly answer: GatewayAnswer; readonly varied: readonly string[] } {
  const variations = [...('data' in answer.body ? OF_SUCCESS : OF_REFUSAL), ...OF_EVERY_ANSWER];
  const varied: string[] = [];
  let current = answer;
  for (const { name, probability, change } of variations) {
    if (!choices.chance(probability)) continue;
    const changed = change(current, choices);
    if (JSON.stringify(changed) !== JSON.stringify(current)) varied.push(name);
    current = changed;
  }
  return { answer: current, varied };
}

/** A variation of the whole body. */
function inBody(name: string, probability: number, change: Change): Variation {
  return {
    name,
    probability,
    change: (answer, choices) => ({ ...answer, body: change(answer.body, choices) }),
  };
}

function anotherMessage(...messages: [string, ...string[]]): Variation {
  return inBody('another message', 0.3, (body, choices) => ({ ...body, message: choices.pick(messages) }));
}

/** A variation of the record in `data`, or of each record of a list. */
function inData(name: string, probability: number, change: Change): Variation {
  return inBody(name, probability, (body, choices) => {
    const { data } = body;
    const changed = Array.isArray(data)
      ? (data as readonly Fields[]).map((entry) => change(entry, choices))
      : change(data as Fields, choices);
    return { ...body, data: changed };
  });
}
