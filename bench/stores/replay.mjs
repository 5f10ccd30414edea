/** The fence of a webhook's claim: PostgreSQL makes it, so that a replay has to use its own; undefined on MySQL. */
export async function fenceOf({ dialect, query }, reference) {
  if (dialect !== 'postgres') return undefined;
  const text = 'SELECT fence::text FROM payments_inbox WHERE reference = $1';
  const [{ fence }] = await query(text, [reference]);
  return fence;
}

/** Gives the parameters of a sample to the replay of another webhook, whose first answer has the fence of its claim. */
export function replayed(sample, reference) {
  let own;
  return {
    params: (params = []) =>
      params.map((value) => {
        if (typeof value !== 'string') return value;
        return value === sample.fence ? own : value.replace(sample.reference, reference);
      }),
    hear: (answer) => {
      own ??= (answer.rows ?? answer)[0]?.fence;
    },
  };
}
