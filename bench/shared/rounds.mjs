/**
 * Measures every subject once a round, in an order that turns with the rounds, so that what else the machine does falls on
 * all of them.
 *
 * @param size `warmUps`: rounds before the others, whose samples are thrown away.
 * @param measure Gives one number.
 * @returns Samples by the subject's name.
 */
export async function interleaved(subjects, { rounds, warmUps }, measure) {
  const samples = new Map(subjects.map(({ name }) => [name, []]));
  for (let round = 0; round < warmUps + rounds; round += 1) {
    for (let turn = 0; turn < subjects.length; turn += 1) {
      const subject = subjects[(turn + round) % subjects.length];
      const sample = await measure(subject, round);
      if (round >= warmUps) samples.get(subject.name).push(sample);
    }
  }
  return samples;
}
