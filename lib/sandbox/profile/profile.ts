import { type GatewayProfile } from '../../gateway-profile/gateway-profile.js';
import { resolvedFacts } from '../../gateway-profile/resolved-facts.js';
import { type GatewayAnswer } from '../core/gateway-answer.js';
import { type OpenBehavior } from '../core/gateway-context.js';
import { type SandboxOperation } from '../core/operation-name.js';

/**
 * Chooses what the specification leaves open: the gateway's behavior and the form of answers and webhooks.
 */
export interface Profile extends OpenBehavior {
  readonly name: 'documented' | 'adversarial' | 'observed';
  answer(call: CallSubject, answer: GatewayAnswer): VariedAnswer;
  /** How many answers each subject had that the choices depend on. A restart keeps it. */
  readonly answered: Map<string, number>;
  /** Resets the choices of one merchant, or all. */
  clear(merchant?: string): void;
}

export interface CallSubject {
  readonly operation: SandboxOperation;
  readonly merchant: string | undefined;
  readonly reference: string | undefined;
}

interface VariedAnswer {
  readonly answer: GatewayAnswer;
  readonly form: WireForm;
  /** The differences from the documented answer, in words. */
  readonly varied: readonly string[];
  /** The subject in `answered` that this answer counted; undefined if it counted none. */
  readonly counted?: string;
}

/** The serialization of an answer's JSON. */
export interface WireForm {
  readonly contentType: string;
  /** Spaces of indentation. */
  readonly indent: number;
  /** Number of pieces; more than one means chunked. */
  readonly pieces: number;
  readonly closesConnection: boolean;
}

export const PLAIN_FORM: WireForm = {
  contentType: 'application/json; charset=utf-8',
  indent: 0,
  pieces: 1,
  closesConnection: false,
};

/** The counts of one emulator, by subjects that begin with the name of their merchant. */
export function noAnswersYet(): Pick<Profile, 'answered' | 'clear'> {
  const answered = new Map<string, number>();
  return {
    answered,
    clear: (merchant) => {
      for (const subject of answered.keys()) {
        if (merchant === undefined || subject.startsWith(`${merchant} `)) answered.delete(subject);
      }
    },
  };
}

/** Follows the specification's examples. It counts nothing, but keeps the counts that an import brings. */
export function documentedProfile(): Profile {
  return {
    ...noAnswersYet(),
    name: 'documented',
    facts: resolvedFacts({}),
    answer: (_, answer) => ({ answer, form: PLAIN_FORM, varied: [] }),
    event: ({ payload, plan }) => ({
      body: JSON.stringify(payload),
      contentType: 'application/json',
      plan,
    }),
  };
}

/** Answers as the gateway that was observed, and as the specification's examples where nothing is known. */
export function observedProfile({ facts }: GatewayProfile): Profile {
  return { ...documentedProfile(), name: 'observed', facts: resolvedFacts(facts) };
}
