import { type DeliveryPlan } from '../core/outcome-plan.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { type SandboxOperation } from '../core/operations.js';

/** How the gateway behaves where its specification leaves that open. */
export interface Profile {
  readonly name: 'documented' | 'adversarial';
  /** A refused request has used up its key too. */
  readonly refusalsUseTheirKeys: boolean;
  /** A repeated reference is complained about before a repeated key. */
  readonly referenceBeforeKey: boolean;
  answer(call: CallSubject, answer: GatewayAnswer): VariedAnswer;
  event(event: EventSubject): VariedEvent;
  /** Starts again as if nothing had been asked yet, by one merchant or by all. */
  clear(merchant?: string): void;
}

export interface CallSubject {
  readonly operation: SandboxOperation;
  readonly merchant: string | undefined;
  readonly reference: string | undefined;
}

export interface VariedAnswer {
  readonly answer: GatewayAnswer;
  readonly form: WireForm;
  /** What differs from the documented answer, in words. */
  readonly varied: readonly string[];
}

export interface EventSubject {
  readonly merchant: string;
  readonly reference: string;
  readonly payload: WebhookPayload;
  readonly plan: DeliveryPlan;
  /** Nobody waits for its first delivery. */
  readonly mayBeLate: boolean;
}

export interface WebhookPayload {
  readonly event: string;
  readonly created_at: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface VariedEvent {
  readonly body: string;
  readonly contentType: string;
  readonly plan: DeliveryPlan;
}

/** How an answer's JSON is written and sent. */
export interface WireForm {
  readonly contentType: string;
  /** Spaces of indentation. */
  readonly indent: number;
  /** More than one: chunked, in so many pieces. */
  readonly pieces: number;
  readonly closesConnection: boolean;
}

export const PLAIN_FORM: WireForm = {
  contentType: 'application/json; charset=utf-8',
  indent: 0,
  pieces: 1,
  closesConnection: false,
};

/** As the specification's examples show it. */
export const documentedProfile: Profile = {
  name: 'documented',
  refusalsUseTheirKeys: false,
  referenceBeforeKey: false,
  answer: (_, answer) => ({ answer, form: PLAIN_FORM, varied: [] }),
  event: ({ payload, plan }) => ({
    body: JSON.stringify(payload),
    contentType: 'application/json',
    plan,
  }),
  clear: () => {},
};
