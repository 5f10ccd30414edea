import { type GatewayAnswer } from '../core/gateway-answer.js';
import { type OpenBehavior } from '../core/gateway-context.js';
import { type SandboxOperation } from '../core/operation-name.js';

/** Chooses what the specification leaves open: how the gateway behaves, and how it writes answers and webhooks. */
export interface Profile extends OpenBehavior {
  readonly name: 'documented' | 'adversarial';
  answer(call: CallSubject, answer: GatewayAnswer): VariedAnswer;
  /** Starts again as if one merchant, or all, had not asked yet. */
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
