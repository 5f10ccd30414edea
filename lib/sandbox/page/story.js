// Words of the emulator in the reader's language: what happened to a payment, and which rule decided.
import { money, plain, text, timeOn } from './words.js';

/** `ending 0003`, `header 0003`, `fault hang`, `default manual`, `default auto` */
export function ruleText(rule) {
  if (rule === null) return '';
  const [kind, ...rest] = rule.split(' ');
  const value = rest.join(' ');
  if (kind === 'fault') return text('rule.fault', { value: text(`fault.${value}`) });
  return text(kind === 'default' ? `rule.${value}` : `rule.${kind}`, { value });
}

/** Why a try of a webhook did not count: the receiver's status, or what happened to the connection. */
export function problemText({ status, problem, forged }) {
  if (forged && status !== null) return text(status < 300 ? 'try.notVerified' : 'try.forged', { status });
  if (status !== null) return text('try.answered', { status });
  return text('try.unanswered', { problem });
}

const joined = (...parts) => parts.filter((part) => part !== null && part !== '').join(' · ');

const SENTENCES = {
  request: ({ call, status, code, rule, fault }) => {
    const answer = status === null ? text('status.none') : [status, code].filter((part) => part).join(' ');
    const why = fault === null ? ruleText(rule) : text('rule.fault', { value: text(`fault.${fault}`) });
    return joined(`${call} → ${answer}`, why);
  },
  payment: ({ status, reason, amount, channel }) =>
    joined(text(`status.${status}`), reason, money(amount), plain(channel)),
  payout: ({ status, reason, amount, fee, channel }) =>
    joined(text(`status.${status}`), reason, money(amount), `${text('fee')} ${money(fee)}`, channel),
  delivery: (facts, now) => {
    const { event, number, url, status, problem, next_attempt_at: next } = facts;
    const later = next === null ? null : `${text('nextTry')} ${timeOn(next, now)}`;
    if (number === null) return joined(event, later ?? text('status.skipped'));
    const result = problem === null ? String(status) : problemText(facts);
    return joined(event, text('try', { number }), url, result, later);
  },
};

/** An entry of a timeline as a heading and a sentence. */
export function entryTexts({ what, facts }, now) {
  return [text(`what.${what}`), SENTENCES[what](facts, now)];
}
