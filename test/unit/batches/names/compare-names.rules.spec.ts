import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { anyCodePoint } from '../../../support/any-code-point.js';
import { compareNames } from '../../../../lib/batches/names/compare-names.js';

describe('the rules of the comparison of names', () => {
  it.each(['Mr', 'Mrs', 'Ms', 'Miss', 'Dr', 'Prof', 'Eng', 'Bw', 'Bwana', 'Bi', 'Bibi', 'Ndugu', 'Mwl'])(
    'take %s for a title, with and without a dot',
    (title) => {
      expect(compareNames(`${title} Asha Mushi`, 'Asha Mushi')).toBe('same');
      expect(compareNames('Mushi Asha', `${title.toUpperCase()}. Asha Mushi`)).toBe('same');
    },
  );

  it('keep a title that is the whole name', () => {
    expect(compareNames('Bibi', 'BIBI')).toBe('same');
    expect(compareNames('Bibi', 'Bwana')).toBe('different');
  });

  it.each(["'", '’', 'ʼ', '‘', '`', '´', 'ʻ', '‛', '′', '＇'])('ignore the apostrophe %s', (apostrophe) => {
    expect(compareNames(`Ng${apostrophe}ombe Said`, 'NGOMBE SAID')).toBe('same');
  });

  it('ignore characters that nobody sees', () => {
    expect(compareNames('As\u200bha\u200e Mu\u00ads\ufe0fhi', 'Asha Mushi')).toBe('same');
  });

  it.each([
    ['of Arabic script', 'محمد علي', 'محمد علي', 'same'],
    ['that vowel signs alone tell apart', 'राम सिंह', 'रमा सिंह', 'different'],
    ['in full width', 'ＡＳＨＡ Mushi', 'Asha Mushi', 'same'],
    ['with digits', 'Asha Mushi 2', 'Asha Mushi', 'similar'],
  ])('compare names %s', (_what, written, held, match) => {
    expect(compareNames(written, held)).toBe(match);
  });

  it.each([
    ['one letter added', 'Asha Mushii', 'similar'],
    ['one letter missing', 'Asha Mush', 'similar'],
    ['one letter different', 'Asha Mushe', 'similar'],
    ['the first letter different', 'Asha Nushi', 'similar'],
    ['two neighbours swapped', 'Asha Muhsi', 'similar'],
    ['two letters added', 'Asha Mushiii', 'different'],
    ['two letters swapped over a third', 'Asha Mihsu', 'different'],
    ['a wrong letter in each word', 'Ashe Mushe', 'different'],
    ['a wrong letter in a word of three', 'Ali Jum', 'different'],
  ])('say of %s: %s is %s', (_what, written, match) => {
    expect(compareNames(written, written.startsWith('Ali') ? 'Ali Jam' : 'Asha Mushi')).toBe(match);
  });

  it('find a partner for each word, whichever comes first', () => {
    expect(compareNames('Mushy M Jume', 'Jume M Mushii')).toBe('similar');
    expect(compareNames('Jume M Mushy', 'Jume M Mushii')).toBe('similar');
  });

  const words = ['asha', 'ahsa', 'mushi', 'mushy', 'mushii', 'muhsi', 'a', 'm', 'juma', 'jume', 'ali', 'dr'];
  const name = fc.array(fc.constantFrom(...words), { maxLength: 5 });

  it('do not depend on which name is which, nor on the order of the words', () => {
    const twoNames = name.chain((one) =>
      fc.tuple(fc.constant(one), fc.shuffledSubarray(one, { minLength: one.length }), name),
    );
    fc.assert(
      fc.property(twoNames, ([one, shuffled, other]) => {
        const match = compareNames(one.join(' '), other.join(' '));
        expect(compareNames(other.join(' '), one.join(' '))).toBe(match);
        expect(compareNames(shuffled.join(' '), other.join(' '))).toBe(match);
      }),
      { numRuns: 2_000 },
    );
  });

  it('are different beyond fifty words, which would take long to compare', () => {
    const written = 'aaaa '.repeat(49);
    const held = Array.from({ length: 50 }, (_, index) => `aaa${String.fromCodePoint(97 + (index % 26))}`);
    expect(compareNames(written, held.join(' '))).toBe('similar');
    expect(compareNames(written, [...held, 'aaab'].join(' '))).toBe('different');
    expect(compareNames('asha mushi '.repeat(60), 'mushi asha '.repeat(60))).toBe('same');
  });

  it('answer for every text', () => {
    const text = fc.string({ unit: anyCodePoint });
    fc.assert(
      fc.property(text, text, (written, held) => {
        expect(compareNames(written, held)).toBe(compareNames(held, written));
        expect(compareNames(written, written)).not.toBe('similar');
      }),
    );
  });
});
