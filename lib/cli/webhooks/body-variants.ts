/** A body that the sender may have signed instead of the given one. */
interface BodyVariant {
  /** The change of the body; undefined: none. */
  readonly change: string | undefined;
  readonly body: Uint8Array;
}

/** The body, and the usual changes by editors, shells and parsers. */
export function bodyVariants(body: Buffer): readonly BodyVariant[] {
  const text = body.toString('utf8');
  const variants: BodyVariant[] = [{ change: undefined, body }];
  const add = (change: string, changed: string | undefined): void => {
    const bytes = changed === undefined ? undefined : Buffer.from(changed);
    if (bytes && !variants.some((variant) => bytes.equals(variant.body)))
      variants.push({ change, body: bytes });
  };
  add('without the white space at its end (an editor or echo adds a line break)', text.replace(/\s+$/, ''));
  add('with a line break at its end', `${text}\n`);
  add('without the byte order mark at its start', text.replace(/^\uFEFF/, ''));
  add('with LF instead of CRLF line breaks', text.replaceAll('\r\n', '\n'));
  add('written again as compact JSON (something parsed it and changed its bytes)', rewritten(text));
  return variants;
}

function rewritten(text: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(text));
  } catch {
    return undefined;
  }
}
