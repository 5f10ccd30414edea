// What the control API refuses, in Swahili, by its codes and by the English words of its rules.
const CODES = {
  SANDBOX_ALREADY_FINAL: 'Imeshafikia mwisho: hali ya mwisho haibadiliki tena.',
  SANDBOX_NOT_FOUND: 'Haipo tena: huenda kila kitu kimefutwa.',
  SANDBOX_AMBIGUOUS: 'Wafanyabiashara kadhaa wana kumbukumbu hii: taja mfanyabiashara.',
  NOT_FOUND: 'Haipo tena: huenda imeshaondolewa.',
  NO_ENDPOINT:
    'Hakuna anwani ya webhook inayopokea tukio hili: ongeza anwani kwenye Mipangilio, kisha tuma tena.',
  MANUAL_CLOCK: 'Saa ya mkono haiendi yenyewe: isogeze mbele.',
  TOO_LARGE: 'Maandishi ni marefu mno.',
  BAD_REFERENCE: 'Kumbukumbu haikuandikwa vizuri kwenye anwani.',
};

const DURATION = 'iwe milisekunde kuanzia 0, au namba na kipimo chake, kwa mfano "90s", "15m" au "6h".';

/** By how the words begin that follow the name of the field. */
const RULES = {
  'must be the x of a key pair pk_test_x / sk_test_x, for example "demo".':
    'iwe x ya funguo pk_test_x / sk_test_x, kwa mfano "demo".',
  'must be words of at most 200 characters.': 'iwe maneno yasiyozidi herufi 200.',
  'must be TZS as text with at most two decimals, for example "250000.00".':
    'iwe TZS yenye desimali zisizozidi mbili, kwa mfano "250000.00".',
  'must be a list of banks, for example [{"id": 1, "name": "Baobab Savings Bank", "code": "BSB"}].':
    'iwe orodha ya benki, kila moja na jina na msimbo wake.',
  'must be a list of accounts, for example [{"account_number": "0123456789", "account_name": "Asha Juma"}].':
    'iwe orodha ya akaunti, kila moja na namba na mwenye akaunti.',
  'must be an http address on this machine': 'iwe anwani nzima ya http ya kompyuta hii.',
  'must be the id of a webhook endpoint.': 'iwe kitambulisho cha anwani ya webhook.',
  'must be a list of payment.success, payment.failed, payment.cancelled and payment.expired, or null for all.':
    'iwe orodha ya payment.success, payment.failed, payment.cancelled na payment.expired.',
  'must be true or false.': 'iwe true au false.',
  'must be a signing secret as text; left out, one is made.':
    'iwe siri ya kutia sahihi; ikiwa tupu, hutengenezwa.',
  'must be milliseconds from 0 on, or a number with its unit, for example "90s", "15m" or "6h".': DURATION,
  'must be payment.success, payment.failed, payment.cancelled or payment.expired.':
    'iwe payment.success, payment.failed, payment.cancelled au payment.expired.',
  'must be an object that replaces fields of the payload, for example {"reference": "order-7"}.':
    'iwe sehemu za maudhui, kwa mfano {"reference": "order-7"}.',
  'must be "resigned" or "identical".': 'iwe "resigned" au "identical".',
  'must be an operation of the gateway, for example "POST /payments/mobile-money".':
    'iwe operesheni ya mfumo wa malipo, kwa mfano "POST /payments/mobile-money".',
  'must be dropBefore, dropAfterProcessing, reset, partialBody, malformedJson, hang, status, html, delay or drip.':
    'iwe dropBefore, dropAfterProcessing, reset, partialBody, malformedJson, hang, status, html, delay au drip.',
  'must be an HTTP status from 200 to 599.': 'iwe hali ya HTTP kuanzia 200 hadi 599.',
  'must be whole seconds from 0 on.': 'iwe sekunde kamili kuanzia 0.',
  'must be a code of the gateway.': 'iwe msimbo wa mfumo wa malipo.',
  'must be the reference that the request names.': 'iwe kumbukumbu ambayo ombi linaitaja.',
  'must be a whole number from 1 to 9007199254740991.': 'iwe namba kamili kuanzia 1 hadi 9007199254740991.',
  'must be from 0 to 1, for example 0.25.': 'iwe kuanzia 0 hadi 1, kwa mfano 0.25.',
};

/** Refusals that name no field, by how they begin. */
const SENTENCES = {
  'The webhook address must be a whole': 'Anwani ya webhook iandikwe nzima, ikianza na http.',
  'The webhook address must hold no user name':
    'Anwani ya webhook isiwe na jina la mtumiaji wala neno la siri: huonekana kwenye ukurasa na kwenye kumbukumbu.',
  'The webhook address is not on this machine':
    'Anwani ya webhook haiko kwenye kompyuta hii: andika anwani ya hapa, au anzisha kwa --allow-remote.',
  'A duration must be': `Muda ${DURATION}`,
};

/** The words for a refusal of the control API; undefined if there are none. */
export function problemInSwahili(code, message) {
  if (code !== 'INVALID_BODY') return CODES[code];
  const [, field, missing, rule] = /^`(\w+)` (is missing: it )?(.*)$/su.exec(message) ?? [];
  if (field === undefined) return startingWith(SENTENCES, message);
  const words = startingWith(RULES, rule);
  return words === undefined ? undefined : `\`${field}\` ${missing ? 'haipo: ' : ''}${words}`;
}

function startingWith(table, words) {
  return table[Object.keys(table).find((start) => words.startsWith(start))];
}
