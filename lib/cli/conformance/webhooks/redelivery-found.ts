import { observeRedelivery, OTHER_SUCCESSES, type Redelivery, toleranceOf } from './redelivery.js';
import { type Found, silent } from './found.js';
import { listenedFor, type WebhooksHeard } from './webhooks-heard.js';

const AFTER_200 = 'a webhook that was answered with 200 came again, too';

/** When a refused webhook comes again. */
export function firstRedelivery(heard: WebhooksHeard): Found {
  const redelivery = observeRedelivery(heard);
  const { waits, firstWaitMs, control, tries, waitEvidence: evidence } = redelivery;
  if (waits.length === 0) return silent('no webhook came that could be refused');
  const first = waits.flatMap(([wait]) => (wait === undefined ? [] : [secondsOf(wait)]));
  if (first.length === 0) return silent(`a refused webhook did not come again within ${listenedFor(heard)}`);
  if (firstWaitMs === undefined) {
    const seen = `the first wait was ${first.join(' s and ')} s`;
    return silent(first.length === 1 ? `${seen} for one webhook; two have to agree` : seen);
  }
  if (control === 'delivered again') return silent(AFTER_200);
  const value = Math.max(1, secondsOf(firstWaitMs));
  const clauses = [
    `a refused webhook comes again after ${value} s, give or take ${secondsOf(toleranceOf(firstWaitMs))} s`,
    ...laterWaits(redelivery),
    `${tries} tries were seen`,
  ];
  return { verdict: 'learnt', says: clauses.join('; '), fact: { name: 'first redelivery', value }, evidence };
}

/** Which answers count as received. */
export function receivedAnswers(heard: WebhooksHeard): Found {
  const { effects, firstWaitMs, control, answerEvidence: evidence } = observeRedelivery(heard);
  if (firstWaitMs === undefined) return silent('the wait before a redelivery is not known');
  if (control === 'delivered again') return silent(AFTER_200);
  const known = OTHER_SUCCESSES.map((status) => ({ status, effect: effects.get(status) ?? 'unknown' }));
  const unknown = known.filter(({ effect }) => effect === 'unknown').map(({ status }) => status);
  if (unknown.length > 0) return silent(`not seen what an answer of ${unknown.join(' and ')} does`);
  const received = known.filter(({ effect }) => effect === 'received').map(({ status }) => status);
  const fact = (value: '200' | '2xx') =>
    ({ verdict: 'learnt', fact: { name: 'webhook answers', value } }) as const;
  const all = OTHER_SUCCESSES.join(', ');
  if (received.length === 0)
    return { ...fact('200'), says: `200 alone counts as received; ${all} do not`, evidence };
  if (received.length === known.length)
    return { ...fact('2xx'), says: `200, ${all} count as received`, evidence };
  const says = `of ${all}, ${received.join(' and ')} alone ${received.length === 1 ? 'counts' : 'count'} as received`;
  return { verdict: 'differs', says, evidence };
}

function laterWaits({ waits }: Redelivery): readonly string[] {
  const longest = waits.reduce((most, next) => (next.length > most.length ? next : most), []);
  return longest.slice(1).map((wait) => `then after ${secondsOf(wait)} s`);
}

function secondsOf(milliseconds: number): number {
  return Math.round(milliseconds / 1_000);
}
