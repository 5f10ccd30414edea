/** Points of `docs/assumptions.md` that no question is about, each with its reason. */
export const NOT_ASKED: Readonly<Record<string, string>> = {
  'does not say how long an outcome may take': 'A run is too short to see the longest time.',
  'does not say how long an idempotency key is remembered':
    '--after-an-hour asks about the first hour. The whole time may be days or years.',
  'shows no final status in the answer to a payment':
    'Nothing in a request makes a gateway end a payment at once.',
  'says only that test keys are for the sandbox': 'A live key is never sent to find out.',
  'says base addresses end in `/api/v1` and JSON goes over HTTPS':
    'A key is never sent in the clear to find out.',
  'shows no number for its rate limit': 'A gateway is never flooded to find it out.',
  fees: 'They belong to a contract. The balance shows them day by day.',
  'shape of `UNAUTHORIZED`': 'The package goes by the HTTP status 401, whatever its shape.',
  'rate limit': 'A gateway is never flooded to find it out.',
  'status queries':
    "They are missing in the emulator alone. The point 'shows no status query' asks the gateway about its own.",
  'webhooks of payouts': "The point 'sends no webhook for payouts' asks whether the gateway has some.",
  '`customer_email`':
    "The point 'calls `customer_email` both required and nullable' asks whether the gateway takes null.",
  'endings of phone and account numbers': "They are the emulator's alone.",
  'lookups of the channel PARTNERPESA': 'A run has no number of another form that belongs to somebody.',
  'two active webhook secrets': 'Secrets are changed in the portal, not by a request.',
};

/** No request makes a provider fail, and a run that meets such a failure learns nothing from it. */
const NO_PROVIDER_ERROR = 'Nothing in a request gives PROVIDER_ERROR, so its status and its shape stay open.';

/** Points of `docs/assumptions.md` that questions are about in part, each with what they leave out. */
export const ASKED_IN_PART: Readonly<Record<string, string>> = {
  'does not say how long deliveries may repeat': 'A run is too short to hear the last redelivery.',
  'writes amounts as "number" and as "decimal"': 'Collections alone are asked.',
  'error statuses': NO_PROVIDER_ERROR,
  'shows most HTTP statuses not at all': NO_PROVIDER_ERROR,
  'shows three error shapes': NO_PROVIDER_ERROR,
  'spells bank codes in two ways': 'Lookups alone are asked, so that no payout goes to another bank.',
  'shows no lengths': 'The reference and the metadata of a collection are asked alone.',
  'shows no smallest or largest amount':
    'The smallest collection is looked for. The largest would take more money than --max-amount should ever allow.',
};
