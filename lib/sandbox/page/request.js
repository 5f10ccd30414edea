/* global location */
// The details of one request: what came, what was answered, and what belongs to it.
import { copy } from './copying.js';
import { curlOfRequest, renewed } from './curl.js';
import { busily, button, facts, make } from './dom.js';
import { problemLine, worded } from './fields.js';
import { answerOf } from './lists.js';
import { linksOf } from './links.js';
import { randomId } from './random-id.js';
import { ruleText } from './story.js';
import { moment, text } from './words.js';

const code = (value) => make('pre', { tabindex: '0' }, value);
const heading = (key) => worded('h4', key);

/** The lines of some headers. */
export const headerText = (headers) =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n');

/** A JSON text with indents; another text as it is. */
export function indented(body) {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** The parts of a request's details. */
export function requestParts(request) {
  const { status, reason, duration_ms: duration, response_headers: headers, response_body: body } = request;
  return [
    make('p', {}, answerOf(request), ...(duration === null ? [] : [` ${duration} ms`])),
    ...(reason === null ? [] : [make('p', { class: 'problem', lang: 'en' }, reason)]),
    ...curlChoice(request),
    facts([
      [text('rule'), ruleText(request.rule)],
      [text('fault'), request.fault === null ? null : text(`fault.${request.fault}`)],
      [text('varied'), request.varied.join(', ')],
      [text('merchant'), request.merchant],
      [text('column.time'), moment(request.at)],
    ]),
    linksOf(request, ['payments', 'payouts', 'webhooks']),
    heading('headers'),
    code(headerText(request.headers)),
    ...(request.body === null
      ? []
      : [
          heading('body'),
          code(typeof request.body === 'string' ? request.body : JSON.stringify(request.body, null, 2)),
        ]),
    ...(status === null
      ? []
      : [heading('answerHeaders'), code(headerText(headers)), heading('answerBody'), code(indented(body))]),
  ];
}

/** A command that makes another payment, and one that repeats this very call. */
function curlChoice(request) {
  const problem = problemLine();
  const choice = make('p', { class: 'choice' });
  const add = (key, called) => {
    const press = () => busily(choice, problem, () => copy(curlOfRequest(called(), location.origin)));
    const made = button('', press, { class: 'quiet' });
    made.append(worded('span', key));
    choice.append(made);
  };
  const isNewPayment = JSON.stringify(renewed(request, '')) !== JSON.stringify(request);
  add('curl', () => renewed(request, randomId()));
  if (isNewPayment) add('curlIdentical', () => request);
  return [choice, problem];
}
