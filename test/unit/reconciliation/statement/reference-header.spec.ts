import { describe, expect, it } from 'vitest';
import { referenceRank, UNOWNED } from '../../../../lib/reconciliation/statement/reference-header.js';

/** Names of the merchant's own references, the likeliest first. */
const OWN = [
  ['Merchant Reference', 'merchant_reference', 'merchantReference', 'MERCHANTREFERENCE', 'MerchantRef'],
  ['Merchant Ref.', 'Merchant Ref. No.', 'merchantref', 'Merchant Reference (yours)', 'Merchant Refrence'],
  ['Reference (Merchant)', 'Merchant Order ID', 'Ref - merchant', 'Merchants Reference'],
  ['Reference (yours)', 'Ref (Yours)', 'yoursref'],
  ['Your Reference', 'Your Ref ID', 'Your Order No.', 'your-reference'],
  ['Client Reference Number', 'client ref', 'Clients Ref'],
  ['External Reference', 'External Ref', 'ExternalID Reference', 'Extrnal Reference'],
  ['Order Reference', 'Order Ref', 'Order Number', 'Order No.', 'OrderID', 'orderid', 'Order Nummber'],
];

describe('the name of a column', () => {
  it.each(OWN.flat())("says that its references are the merchant's own: %s", (name) => {
    expect(referenceRank(name)).toBeLessThan(UNOWNED);
  });

  it('says how likely that is', () => {
    const ranks = OWN.map(([name = '']) => referenceRank(name));
    expect(ranks).toEqual([...ranks].sort((one = 0, other = 0) => one - other));
    expect(new Set(ranks)).toHaveProperty('size', 6);
  });

  it.each(["Merchant's Reference", 'Merchant’s Ref', "Merchants' Reference"])(
    'has a genitive: %s',
    (name) => {
      expect(referenceRank(name)).toBeLessThan(UNOWNED);
    },
  );

  it.each(['Reference', 'reference', 'Ref', 'REF.', 'References', 'Refrence', 'Referance', ' Reference '])(
    'does not say whose references these are: %s',
    (name) => {
      expect(referenceRank(name)).toBe(UNOWNED);
    },
  );

  it.each(
    [
      // Of somebody else.
      ['Provider Reference', 'Bank Ref', 'Payment Reference', 'Transaction Reference', 'Our Reference'],
      ['Reference (Gateway)', 'Merchant Reference (Gateway)', 'Provider Order ID', 'Reference No.', 'Ref ID'],
      // No reference.
      [
        'Merchant',
        'Merchant ID',
        'Merchant No.',
        'Client ID',
        'Your Number',
        'External ID',
        'Order',
        'Order Date',
      ],
      ['Preference', 'Merchant Preference', 'Deference', 'Referee', 'Refund', 'Order Member', 'Older Number'],
      ['Order In', 'No', 'ID', 'Number', 'constructor reference', 'Reference 2', '', '()'],
    ].flat(),
  )("is none of the merchant's own references: %s", (name) => {
    expect(referenceRank(name)).toBeUndefined();
  });
});
