/** Personal data that nothing else could hold, as a merchant sends it and as the gateway reports it. */
export const CANARIES = {
  name: 'Canaria Zawadi Tumbo',
  phone: '255754918273',
  email: 'canary.tumbo@example.net',
  account: '77190031842266',
  holder: 'Kipanga Holder Mwewe',
  text: 'canary words of free text',
  metadata: 'canary-metadata-5591',
} as const;

/** Names of the canaries that a dump holds, in the clear, escaped for JSON, or in base64 or hex. */
export function canariesIn(dump: string): readonly (keyof typeof CANARIES)[] {
  return (Object.keys(CANARIES) as (keyof typeof CANARIES)[]).filter((name) =>
    spellings(CANARIES[name]).some((spelling) => dump.includes(spelling)),
  );
}

function spellings(canary: string): readonly string[] {
  const bytes = Buffer.from(canary);
  const hex = bytes.toString('hex');
  const escaped = Array.from(canary, escapedLetter).join('');
  return [canary, JSON.stringify(canary).slice(1, -1), escaped, hex, hex.toUpperCase(), ...inBase64(bytes)];
}

function escapedLetter(letter: string): string {
  return `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** The letters of base64 depend on where the canary begins within three bytes. Its first and last ones are left out. */
function inBase64(bytes: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((shift) => {
    const text = Buffer.concat([Buffer.alloc(shift), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const inner = text.slice(shift === 0 ? 0 : 4, -4);
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
