import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GatewayFacts, type WebhookFacts } from 'nestjs-payments/sandbox';
import { type WebhookScheme } from 'nestjs-payments';
import { factsOf, observedProfile } from '../../support/conformance-run.js';
import { profileWith } from '../../support/gateway-profiles.js';
import {
  concludeWebhooks,
  type Conclusion,
  type PersonsEnding,
  stageWebhooks,
  type WebhookStage,
} from '../../support/heard-webhooks.js';
import {
  type HiddenSignature,
  knownSignature,
  signedOnce,
  STRANGE_HEADERS,
  unknownSignature,
} from '../../support/hidden-webhooks.js';
import { Random } from '../../support/random.js';

const { CONFORMANCE_RUNS, CONFORMANCE_SEED } = process.env;
const runs = Number(CONFORMANCE_RUNS ?? 15);
const first = Number(CONFORMANCE_SEED ?? 21);
const limit = Math.max(60_000, runs * 5_000);

/** Fewer gateways may miss one way of signing. */
const MANY = 200;
/** The package takes no signed time that is further off. */
const TOLERANCE_MS = 300_000;
/** The run waits no longer for redeliveries. */
const LONGEST_SEEN_S = 600;

const EVENTS: Readonly<Record<PersonsEnding, string>> = {
  approve: 'payment.success',
  decline: 'payment.failed',
  cancel: 'payment.cancelled',
  expire: 'payment.expired',
};
const ENDINGS = Object.keys(EVENTS) as readonly PersonsEnding[];

/** Everything that a gateway does with its webhooks, and what a person does with the payments. */
interface Hidden {
  readonly signature: HiddenSignature;
  readonly facts: Required<Pick<GatewayFacts, 'webhook answers' | 'first redelivery' | 'repeated webhook'>>;
  readonly endings: readonly PersonsEnding[];
  readonly strange: string | undefined;
  /** How far the clock of the gateway is from the listener's. */
  readonly skewMs: number;
}

function hiddenOf(seed: number, signature: (random: Random) => HiddenSignature): Hidden {
  const random = new Random(seed);
  const isSlow = random.chance(0.1);
  return {
    signature: signature(random),
    facts: {
      'webhook answers': random.pick(['200', '2xx']),
      'first redelivery': isSlow ? 3_600 + random.below(80_000) : 2 + random.below(LONGEST_SEEN_S),
      'repeated webhook': random.pick(['signed again', 'as before']),
    },
    endings: Array.from({ length: random.pick([0, 1, 2, 3, 5, 5, 5, 5, 6]) }, () => random.pick(ENDINGS)),
    strange: random.chance(0.6) ? random.pick(['a-time', ...Object.keys(STRANGE_HEADERS)]) : undefined,
    skewMs: random.pick([0, 0, 7_000, -90_000, 7_200_000]),
  };
}

/** Signs as the hidden gateway does. */
function schemeOf({ signature, facts, strange, skewMs }: Hidden): WebhookScheme {
  const sign: NonNullable<WebhookScheme['sign']> = (input) =>
    signature.sign({ ...input, now: input.now + skewMs });
  const signs = facts['repeated webhook'] === 'as before' ? signedOnce(sign) : sign;
  return {
    name: 'hidden',
    verify: () => ({ ok: false, reason: 'it only signs' }),
    sign: (input) => ({
      ...(strange !== undefined &&
        STRANGE_HEADERS[strange]?.({ ...input, now: input.now + skewMs }, signature)),
      ...signs(input),
    }),
  };
}

type Said = Omit<Conclusion, 'evidence'>;

interface Found {
  readonly conclusions: readonly Conclusion[];
  readonly webhooks: WebhookFacts | undefined;
}

let stage: WebhookStage;
beforeEach(() => {
  // Signatures have the time of the machine, which is the emulator's here.
  const { now } = Date;
  vi.spyOn(Date, 'now').mockImplementation(() => (stage as WebhookStage | undefined)?.clock.now() ?? now());
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function hear(
  options: Parameters<typeof stageWebhooks>[0],
  { endings, signature }: Hidden,
  more: () => Promise<unknown> = () => Promise.resolve(),
): Promise<Found> {
  stage = await stageWebhooks(options);
  try {
    await stage.sandbox.clock.advance(417);
    for (const ending of endings) await stage.end(ending);
    await more();
    return concludeWebhooks(await stage.hear([signature.secret]));
  } finally {
    await stage.stop();
  }
}

const hiddenOptions = (hidden: Hidden): Parameters<typeof stageWebhooks>[0] => ({
  profile: profileWith({ ...hidden.facts, 'repeated webhook': 'signed again' }),
  webhookScheme: schemeOf(hidden),
  webhookSecret: hidden.signature.secret,
});

interface Observable {
  readonly facts: GatewayFacts;
  readonly isSigned: boolean;
  /** The way of signing is clear, and its times are too far from the arrivals. */
  readonly isOffTime: boolean;
}

/** What a run can see of the gateway, and no more. */
function observable({ signature, facts, endings, strange, skewMs }: Hidden): Observable {
  const isRepeated = endings.length > 0 && facts['first redelivery'] <= LONGEST_SEEN_S + 1;
  const isTwin =
    strange === 'a-time' &&
    signature.facts?.scheme === 'hmac' &&
    signature.time !== undefined &&
    (facts['repeated webhook'] === 'signed again' || !isRepeated);
  const isClear =
    signature.facts !== undefined && endings.length >= 2 && !isTwin && !fitsBothKindsOfBase64(signature);
  const hasTime = signature.time !== undefined || signature.facts?.scheme === 'stripeStyle';
  const isOffTime = isClear && hasTime && Math.abs(skewMs) > TOLERANCE_MS;
  const isSigned = isClear && !isOffTime;
  const { 'webhook answers': answers, 'first redelivery': wait, 'repeated webhook': repeated } = facts;
  return {
    isSigned,
    isOffTime,
    facts: {
      ...(isRepeated && endings.length >= 2 && { 'first redelivery': wait }),
      ...(isRepeated && endings.length >= 5 && { 'webhook answers': answers }),
      ...(isRepeated && isSigned && hasTime && { 'repeated webhook': repeated }),
    },
  };
}

/** 48 bytes have no padding, and few letters differ. */
function fitsBothKindsOfBase64({ facts, made }: HiddenSignature): boolean {
  if (facts?.scheme !== 'hmac' || facts.encoding === 'hex' || facts.algorithm !== 'sha384') return false;
  return !made.some((signature) => /[+/_-]/.test(signature));
}

function verdicts(conclusions: readonly Conclusion[]): Readonly<Record<string, string>> {
  return Object.fromEntries(conclusions.map(({ question, verdict }) => [question, verdict]));
}

function expectedVerdicts(
  { endings, facts, strange }: Hidden,
  { isSigned, isOffTime, facts: seenFacts }: Observable,
): Readonly<Record<string, string>> {
  const isRepeated = endings.length > 0 && facts['first redelivery'] <= LONGEST_SEEN_S + 1;
  const isAny = endings.length > 0;
  const seen = (ending: PersonsEnding) =>
    [`event ${EVENTS[ending]}`, endings.includes(ending) ? 'held' : 'silent'] as const;
  return {
    'webhook signature': isOffTime ? 'differs' : isSigned ? 'learnt' : 'silent',
    'first redelivery': isRepeated && endings.length >= 2 ? 'learnt' : 'silent',
    'webhook answers': isRepeated && endings.length >= 5 ? 'learnt' : 'silent',
    'repeated webhook': !isRepeated
      ? 'silent'
      : seenFacts['repeated webhook'] === 'as before'
        ? 'learnt'
        : 'held',
    'webhook headers': !isAny ? 'silent' : isSigned && strange === undefined ? 'held' : 'differs',
    ...Object.fromEntries(ENDINGS.map(seen)),
    'declined payment': endings.includes('decline') ? 'held' : 'silent',
    'other events': isAny ? 'held' : 'silent',
    'payout webhooks': 'silent',
    'payout events': 'silent',
  };
}

const told = (conclusions: readonly Conclusion[]): readonly Said[] =>
  conclusions.map(({ evidence: _, ...said }) => said);

describe('webhooks whose signature and schedule are random', () => {
  it(
    'are learnt as they are, as far as they can be seen, and never wrongly',
    async () => {
      const schemes = new Set<string>();
      for (let seed = first; seed < first + runs; seed += 1) {
        const hidden = hiddenOf(seed, knownSignature);
        const { conclusions, webhooks } = await hear(hiddenOptions(hidden), hidden);
        const expected = observable(hidden);
        expect({ seed, webhooks, facts: Object.fromEntries(factsOf(conclusions)) }).toEqual({
          seed,
          webhooks: expected.isSigned ? hidden.signature.facts : undefined,
          facts: expected.facts,
        });
        expect({ seed, ...verdicts(conclusions) }).toEqual({
          seed,
          ...expectedVerdicts(hidden, expected),
        });
        expect(JSON.stringify(conclusions)).not.toMatch(/Asha|255712345678/);
        if (webhooks) schemes.add(JSON.stringify({ ...webhooks, header: '' }));
      }
      if (runs >= MANY) expect(schemes.size).toBeGreaterThan(runs / 3);
    },
    limit,
  );

  it(
    'are rebuilt by an emulator with what was observed, as far as a second run can tell',
    async () => {
      for (let seed = first; seed < first + runs; seed += 1) {
        const chosen = hiddenOf(seed, knownSignature);
        // In no profile: whose clock is wrong, what headers a proxy adds, and a wait that was seen once or never.
        const hidden: Hidden = {
          ...chosen,
          endings: [...chosen.endings, 'expire', 'approve'],
          facts: { ...chosen.facts, 'first redelivery': 2 + (seed % LONGEST_SEEN_S) },
          strange: undefined,
          skewMs: 0,
        };
        const before = await hear(hiddenOptions(hidden), hidden);
        const profile = observedProfile(before.conclusions, before.webhooks, new Date(0));
        const after = await hear({ profile, webhookSecret: hidden.signature.secret }, hidden);
        expect([seed, profile.webhooks === undefined]).toEqual([
          seed,
          fitsBothKindsOfBase64(hidden.signature),
        ]);
        if (!profile.webhooks) continue;
        expect({ seed, told: told(after.conclusions) }).toEqual({ seed, told: told(before.conclusions) });
      }
    },
    limit,
  );

  it(
    'teach nothing wrong and are told with their evidence if the tool does not know what they do',
    async () => {
      for (let seed = first; seed < first + runs; seed += 1) {
        const hidden = { ...hiddenOf(seed, unknownSignature), endings: ENDINGS.slice(0, 2) };
        const random = new Random(seed);
        const event = random.pick([
          'payment.refunded',
          'payout.paid',
          '',
          'Asha Juma ' + '9'.repeat(12),
          '\u0000\u202e',
        ]);
        const strangeEvent = async (): Promise<void> => {
          const body = JSON.stringify({ event, data: { reference: 'asked-0', amount: 5 } });
          await fetch(stage.url, { method: 'POST', body });
        };
        const { conclusions, webhooks } = await hear(hiddenOptions(hidden), hidden, strangeEvent);
        expect({ seed, webhooks }).toEqual({ seed, webhooks: undefined });
        const [signature, others] = ['webhook signature', 'other events'].map((name) =>
          conclusions.find(({ question }) => question === name)!,
        );
        expect(['differs', 'silent']).toContain(signature!.verdict);
        expect([seed, signature!.evidence.length]).not.toEqual([seed, 0]);
        expect(others).toMatchObject({ verdict: 'differs', evidence: [expect.stringMatching(/^webhook-/)] });
        expect(JSON.stringify(told(conclusions))).not.toMatch(/Asha|\d{9}|\u202e|\\u0000/);
        for (const [name, value] of factsOf(conclusions))
          expect([seed, name, value]).toEqual([seed, name, hidden.facts[name as keyof typeof hidden.facts]]);
      }
    },
    limit,
  );
});
