import { type GatewayCode } from '../../../errors/gateway-codes.js';

/** What the journal keeps of an answer: no text of the gateway but statuses, codes, channels, ids, amounts and names of fields. */
export interface RecordedAnswer {
  readonly status: number;
  /** Names of the headers, in lower case. */
  readonly headers: readonly string[];
  /** `Retry-After` in seconds; left out if the answer has none that counts seconds. */
  readonly retryAfter?: number;
  /** The body was too long to be read whole. */
  readonly isCut?: true;
  /** The body without its texts; left out if it is no JSON object. */
  readonly body?: Readonly<Record<string, unknown>>;
}

interface Answered {
  readonly status: number;
  readonly headers: readonly string[];
  /** The gateway's id of the request; left out if the answer has none. */
  readonly requestId?: string;
}

/** The envelope of a success. */
export interface Accepted extends Answered {
  readonly kind: 'accepted';
  /** `data` without its texts. */
  readonly data: unknown;
}

/** A listed code in shape A or B. */
export interface RefusedByCode extends Answered {
  readonly kind: 'refused';
  readonly shape: 'A' | 'B';
  readonly code: GatewayCode;
}

/** Shape C. */
export interface RefusedByFields extends Answered {
  readonly kind: 'refused';
  readonly shape: 'C';
  /** The fields that have messages. */
  readonly fields: readonly string[];
}

type Refused = RefusedByCode | RefusedByFields;

/** An answer that a conclusion can rest on. */
export type KnownAnswer = Accepted | Refused;

/** A complete answer in a form that this tool does not know. */
export interface UnexpectedAnswer extends Answered {
  readonly kind: 'unexpected';
  /** What is unknown about it, as a clause. */
  readonly why: string;
}

/** A failure that says nothing about the gateway's rules. */
export interface Faulty {
  readonly kind: 'fault';
  /** What happened, as a clause. */
  readonly why: string;
  readonly retryAfter?: number;
}

/** What came of one request. */
export type StepAnswer = KnownAnswer | UnexpectedAnswer | Faulty;

export function isAccepted(answer: StepAnswer | undefined): answer is Accepted {
  return answer?.kind === 'accepted';
}

/** The code of a refusal; undefined for every other answer. */
export function codeOf(answer: StepAnswer | undefined): GatewayCode | undefined {
  return answer?.kind === 'refused' && answer.shape !== 'C' ? answer.code : undefined;
}

/** The fields of a refusal in shape C; none for every other answer. */
export function fieldsOf(answer: StepAnswer | undefined): readonly string[] {
  return answer?.kind === 'refused' && answer.shape === 'C' ? answer.fields : [];
}

/** The request ids of answers, each once. */
export function idsOf(answers: readonly StepAnswer[]): readonly string[] {
  const ids = answers.flatMap((answer) => ('requestId' in answer ? [answer.requestId] : []));
  return [...new Set(ids)];
}

/** Whether an answer gave back a reference of the run, which is kept as it is. */
export function isOwn(reference: unknown): reference is string {
  return typeof reference === 'string' && reference.startsWith('nc');
}
