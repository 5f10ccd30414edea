/** What the support of the gateway is asked about a point that no request could find out. */
export interface LetterQuestion {
  /** The point: a cell of the first column of `docs/assumptions.md`. */
  readonly point: string;
  readonly english: string;
  readonly swahili: string;
}

/** One question for each point that the specification leaves open to the package, in the order of `docs/assumptions.md`. */
export const LETTER_QUESTIONS: readonly LetterQuestion[] = [
  {
    point: 'does not show how webhooks are signed',
    english:
      'How are webhooks signed: which header, which algorithm, which encoding, and over which bytes? Where do we find the signing secret?',
    swahili:
      'Webhook zinasainiwaje: kichwa (header) kipi, algorithm ipi, encoding ipi, na juu ya baiti zipi? Siri ya kusaini (signing secret) inapatikana wapi?',
  },
  {
    point: "does not show the webhook's retry schedule",
    english:
      'When a webhook is not answered with HTTP 200: after which times is it sent again, how often, and which other HTTP statuses count as received?',
    swahili:
      'Webhook isipojibiwa kwa HTTP 200: inatumwa tena baada ya muda gani, mara ngapi, na ni HTTP status zipi nyingine zinazohesabiwa kuwa imepokelewa?',
  },
  {
    point: 'does not say how long deliveries may repeat',
    english: 'For how long after the first try may the same webhook come again?',
    swahili: 'Webhook ileile inaweza kuja tena kwa muda gani baada ya jaribio la kwanza?',
  },
  {
    point: 'shows no status query',
    english:
      'Which paths give the status of a collection and of a payout, by which reference, and what does the answer look like? What is answered for a reference that does not exist?',
    swahili:
      'Ni path zipi zinazotoa hali (status) ya malipo yanayopokelewa na ya malipo yanayotumwa, kwa reference ipi, na jibu lina muundo gani? Reference isiyokuwepo inajibiwaje?',
  },
  {
    point: 'shows no final status in the answer to a payment',
    english:
      'Can the answer to a payment already say that it has ended, and does it then repeat the reference and the amount?',
    swahili:
      'Je, jibu la ombi la malipo linaweza kusema tayari kwamba malipo yamekwisha, na je, hapo linarudia reference na kiasi (amount)?',
  },
  {
    point: 'says only that a processed key gives `DUPLICATE_REQUEST`',
    english:
      'What is answered when the same Idempotency-Key comes again: with the same body, with another body, and after a refusal? Does DUPLICATE_REQUEST say that the first payment was made?',
    swahili:
      'Jibu ni nini Idempotency-Key ileile ikija tena: ikiwa na maudhui yaleyale, ikiwa na maudhui mengine, na baada ya ombi kukataliwa? Je, DUPLICATE_REQUEST inamaanisha kwamba malipo ya kwanza yalifanyika?',
  },
  {
    point: 'does not say how long an outcome may take',
    english:
      'After which time does a pending collection expire, and how long may a payout be processing at most?',
    swahili:
      'Malipo yanayosubiri (pending) yanaisha muda baada ya muda gani, na malipo yanayotumwa yanaweza kubaki "processing" kwa muda gani zaidi?',
  },
  {
    point: 'sends no webhook for payouts',
    english: 'Are webhooks sent for payouts? If not, how do we learn whether a payout was paid or failed?',
    swahili:
      'Je, webhook zinatumwa kwa malipo yanayotumwa (disbursements)? Kama hapana, tunajuaje kama malipo yamelipwa au yameshindikana?',
  },
  {
    point: 'shows no payout events',
    english:
      'Which events exist besides payment.success, payment.failed, payment.cancelled and payment.expired?',
    swahili:
      'Kuna matukio (events) gani mengine zaidi ya payment.success, payment.failed, payment.cancelled na payment.expired?',
  },
  {
    point: 'shows most HTTP statuses not at all',
    english:
      'Which HTTP status comes with each error code, PROVIDER_ERROR among them, and which one with a success of each operation?',
    swahili:
      'Kila msimbo wa kosa (error code), ikiwemo PROVIDER_ERROR, unakuja na HTTP status ipi, na mafanikio ya kila operesheni?',
  },
  {
    point: 'lists error codes, perhaps not all',
    english:
      'Is the list of error codes complete? If not, which other ones exist, and which of them say for certain that no money moved?',
    swahili:
      'Je, orodha ya misimbo ya makosa imekamilika? Kama hapana, ipo mingine ipi, na ipi kati yake inathibitisha kwamba hakuna pesa iliyohamishwa?',
  },
  {
    point: 'shows three error shapes',
    english: 'Which of the three shapes of error bodies comes with which error, PROVIDER_ERROR among them?',
    swahili: 'Kati ya miundo mitatu ya majibu ya makosa, upi unakuja na kosa lipi, ikiwemo PROVIDER_ERROR?',
  },
  {
    point: "shows no duplicate code for a collection's reference",
    english: 'What is answered when a collection has a reference that was used before?',
    swahili: 'Jibu ni nini ombi la kupokea malipo likiwa na reference iliyokwisha kutumika?',
  },
  {
    point: 'calls `customer_email` both required and nullable',
    english: 'Is customer_email required, or may it be null?',
    swahili: 'Je, customer_email ni lazima, au inaweza kuwa null?',
  },
  {
    point: 'shows no lengths',
    english: 'How long may each text field be, and how large may metadata be?',
    swahili: 'Kila sehemu ya maandishi inaweza kuwa na urefu gani, na metadata inaweza kuwa na ukubwa gani?',
  },
  {
    point: 'shows no smallest or largest amount',
    english: 'What are the smallest and the largest amounts of a collection and of a payout?',
    swahili: 'Kiasi kidogo na kikubwa kabisa cha malipo yanayopokelewa na yanayotumwa ni kipi?',
  },
  {
    point: 'writes amounts as "number" and as "decimal"',
    english: 'Are amounts sent as JSON numbers or as strings, and with how many decimals?',
    swahili: 'Kiasi kinatumwa kama namba ya JSON au kama maandishi (string), na kwa desimali ngapi?',
  },
  {
    point: 'shows `network` as six upper-case tokens without their names',
    english: 'Which six values may the field network have?',
    swahili: 'Sehemu ya "network" inaweza kuwa na thamani zipi sita?',
  },
  {
    point: 'spells bank codes in two ways',
    english: 'Which spelling of the bank codes do transfers and name lookups take?',
    swahili: 'Uhamisho wa benki na utafutaji wa majina unakubali tahajia ipi ya misimbo ya benki?',
  },
  {
    point: 'shows `Authorization: Bearer` once, two headers elsewhere',
    english: 'Is Authorization: Bearer taken in place of the two headers, and by which operations?',
    swahili: 'Je, Authorization: Bearer inakubaliwa badala ya vichwa viwili, na kwa operesheni zipi?',
  },
  {
    point: 'does not say how long an idempotency key is remembered',
    english: 'For how long is an Idempotency-Key remembered?',
    swahili: 'Idempotency-Key inakumbukwa kwa muda gani?',
  },
  {
    point: 'shows no number for its rate limit',
    english: 'How many requests a second and a minute may we send, and which headers tell it?',
    swahili: 'Tunaweza kutuma maombi mangapi kwa sekunde na kwa dakika, na vichwa vipi vinaonyesha hilo?',
  },
  {
    point: 'says only that test keys are for the sandbox',
    english: 'Which operations may a pair of test keys call, and which ones only live keys?',
    swahili: 'Funguo za majaribio zinaruhusiwa kuita operesheni zipi, na zipi ni za funguo halisi tu?',
  },
  {
    point: 'says base addresses end in `/api/v1` and JSON goes over HTTPS',
    english: 'Which base addresses do the sandbox and the production have?',
    swahili: 'Anwani za msingi (base address) za sandbox na za uzalishaji ni zipi?',
  },
  {
    point: 'echoes `metadata` as object, null or `{}`; an empty list occurs',
    english: 'In which form is metadata echoed when none was sent?',
    swahili: 'Metadata inarudishwa katika muundo gani ikiwa haikutumwa?',
  },
  {
    point: 'may grow fields, statuses and values',
    english: 'How are we told about new fields, statuses and error codes before they come?',
    swahili: 'Tunajulishwaje kuhusu sehemu, hali na misimbo mipya kabla haijaanza kutumika?',
  },
];
