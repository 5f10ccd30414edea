// What the magic numbers do, in Swahili, by the English words of the emulator's table.
export const scenariosInSwahili = {
  'approved after 2 s: `success`': 'yanathibitishwa baada ya sekunde 2: `success`',
  '`processing` after 2 s, `success` after 30 s':
    '`processing` baada ya sekunde 2, `success` baada ya sekunde 30',
  'cancelled by the customer after 2 s: `cancelled`': 'mteja anayaghairi baada ya sekunde 2: `cancelled`',
  'fails after 2 s (not enough money): `failed`':
    'yanashindikana baada ya sekunde 2 (salio halitoshi): `failed`',
  'never answered: `expired` when its time is up, with `auto` too':
    'hayajibiwi kamwe: `expired` muda wake unapoisha, hata kwa `auto`',
  'stuck: `pending` forever, no webhook': 'yamekwama: `pending` daima, bila webhook',
  'approved after 2 s, its webhook delivered twice':
    'yanathibitishwa baada ya sekunde 2, webhook inatumwa mara mbili',
  'approved at once: the webhook comes before the HTTP answer, which still says `pending`':
    'yanathibitishwa papo hapo: webhook inafika kabla ya jibu la HTTP, ambalo bado linasema `pending`',
  'approved after 2 s, the first three deliveries lost, then redelivered by the schedule':
    'yanathibitishwa baada ya sekunde 2, webhook tatu za kwanza zinapotea, kisha inatumwa tena kwa ratiba',
  'approved after 2 s, a forged signature first, then the right one':
    'yanathibitishwa baada ya sekunde 2, kwanza sahihi ya kughushi, kisha iliyo sahihi',
  '429 with `Retry-After: 2` and a `message` alone, every time':
    '429 yenye `Retry-After: 2` na `message` pekee, kila mara',
  '500 as an HTML page, not processed': '500 kama ukurasa wa HTML, bila kushughulikiwa',
  'accepted, but the connection is dropped instead of an answer; approved after 2 s':
    'yanakubaliwa, lakini muunganisho unakatwa badala ya jibu; yanathibitishwa baada ya sekunde 2',
};

/** What a magic number does, in the reader's language. */
export function scenarioText({ description }, language) {
  return language === 'sw' ? (scenariosInSwahili[description] ?? description) : description;
}
