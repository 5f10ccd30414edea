/**
 * Makes of the recorded steps of one sample a function that sends the same for another reference, one after the other.
 *
 * @param sample The reference in the steps.
 * @param target `send(handle, step)`, `inside(work)` for a connection or a transaction, and `idsOf(answer)`: what the
 * server made and later steps repeat, as texts.
 */
export function replayOf(steps, sample, { send, inside, idsOf }) {
  const compile = compiler(sample, idsOf);
  const program = compile(steps);
  return async (reference, request) => {
    const own = [];
    const play = async (list, handle) => {
      for (const step of list) {
        if (step.beside) await Promise.all([request(reference), play(step.beside)]);
        else if (step.inside) await inside((inner) => play(step.inside, inner));
        else learn(step, await send(handle, filled(step, reference, own)), own);
      }
    };
    const learn = ({ learns }, answer) => {
      if (learns.length === 0) return;
      for (const [index, id] of idsOf(answer).entries()) own[learns[index]] = id;
    };
    await play(program);
  };
}

/** How many statements or commands one replay sends. */
export function countOf(steps) {
  return steps.reduce((sum, { beside, inside }) => {
    const more = beside ?? inside;
    return sum + (more ? countOf(more) : 1);
  }, 0);
}

function compiler(sample, idsOf) {
  const slots = new Map();
  const compile = (steps) =>
    steps.map((step) => {
      if (step.beside) return { beside: compile(step.beside) };
      if (step.inside) return { inside: compile(step.inside) };
      const text = textTemplate(step.text, sample, slots);
      const params = step.params?.map((value) => valueTemplate(value, sample, slots));
      const learns = idsOf(step.answer).map((id) => {
        if (!slots.has(id)) slots.set(id, slots.size);
        return slots.get(id);
      });
      return { ...step, text, params, learns };
    });
  return compile;
}

function filled({ text, params, givesRows }, reference, own) {
  const fill = (value) => (typeof value === 'function' ? value(reference, own) : value);
  return { text: fill(text), params: params?.map(fill), givesRows };
}

/** Functions fill what differs; everything else is sent as it is. */
function valueTemplate(value, sample, slots) {
  const slot = slots.get(String(value));
  if (slot !== undefined) {
    return typeof value === 'number' ? (_, own) => Number(own[slot]) : (_, own) => own[slot];
  }
  return typeof value === 'string' ? textTemplate(value, sample, slots) : value;
}

/** In the text of a statement a value is a literal in quotes, as it is or in hexadecimal digits. */
function textTemplate(text, sample, slots) {
  const marks = new Map([[sample, (reference) => reference]]);
  marks.set(`'${hex(sample)}'`, (reference) => `'${hex(reference)}'`);
  for (const [id, slot] of slots) {
    marks.set(`'${id}'`, (_, own) => `'${own[slot]}'`);
    marks.set(`'${hex(id)}'`, (_, own) => `'${hex(own[slot])}'`);
  }
  const pieces = text.split(new RegExp(`(${[...marks.keys()].join('|')})`));
  if (pieces.length === 1) return text;
  const fills = pieces.map((piece) => marks.get(piece) ?? (() => piece));
  return (reference, own) => fills.map((fill) => fill(reference, own)).join('');
}

function hex(text) {
  return Buffer.from(text).toString('hex');
}
