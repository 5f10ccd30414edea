import { type Ground, NOW, type Original, type Request, requestOf, TOLERANCE_MS } from './deliveries.js';
import { type Random } from '../support/random.js';
import { bytesChanged, respelled, textChanged } from './text-mutations.js';

/** A way to change a request; the original is the one that the request began as. */
type Mutation = (request: Request, random: Random, ground: Ground, original: Original) => void;

const someHeader = (request: Request, random: Random, { subject }: Ground): string =>
  random.below(3) > 0 ? subject.header : random.pick([...request.headers.keys(), subject.header]);

const valueOf = (request: Request, name: string): string => request.headers.get(name)?.[0] ?? '';

const strange = (ground: Ground, random: Random): Request => requestOf(ground, random.pick(ground.originals));

export const MUTATIONS: Readonly<Record<string, Mutation>> = {
  'nothing changed': () => undefined,
  'body: bytes changed': (request, random) => {
    request.body = bytesChanged(request.body, random);
  },
  'body: of another delivery': (request, random, ground) => {
    request.body = random.pick(ground.originals).body;
  },
  'body: start of one, end of another': (request, random, ground) => {
    const other = random.pick(ground.originals).body;
    const [here, there] = [random.below(request.body.length + 1), random.below(other.length + 1)];
    request.body = Buffer.concat([request.body.subarray(0, here), other.subarray(there)]);
  },
  'body: the same JSON in other bytes': (request, random) => {
    try {
      const value: unknown = JSON.parse(request.body.toString('utf8'));
      request.body = Buffer.from(JSON.stringify(value, null, random.pick([0, 1, '\t'])));
    } catch {
      request.body = Buffer.concat([request.body, Buffer.from('\n')]);
    }
  },
  'body: bytes moved between body and header': (request, random, ground) => {
    const name = someHeader(request, random, ground);
    const at = random.below(request.body.length + 1);
    const moved = request.body.subarray(0, at).toString('latin1');
    request.headers.set(name, [valueOf(request, name) + moved]);
    request.body = request.body.subarray(at);
  },
  'header: text changed': (request, random, ground) => {
    const name = someHeader(request, random, ground);
    request.headers.set(name, [textChanged(valueOf(request, name), random)]);
  },
  'header: signature in another spelling': (request, random, ground, { signature }) => {
    const { header, encoding } = ground.subject;
    const other = respelled(signature, encoding, random);
    request.headers.set(header, [valueOf(request, header).replace(signature, () => other)]);
  },
  'header: signature text changed': (request, random, ground, { signature }) => {
    const { header } = ground.subject;
    const other = textChanged(signature, random);
    request.headers.set(header, [valueOf(request, header).replace(signature, () => other)]);
  },
  'header: of another delivery': (request, random, ground) => {
    const name = someHeader(request, random, ground);
    request.headers.set(name, [valueOf(strange(ground, random), name)]);
  },
  'header: start of one, end of another': (request, random, ground) => {
    const name = someHeader(request, random, ground);
    const [one, other] = [valueOf(request, name), valueOf(strange(ground, random), name)];
    const at = random.below(one.length + 1);
    request.headers.set(name, [
      one.slice(0, at) + other.slice(random.pick([at, random.below(other.length + 1)])),
    ]);
  },
  'header: several joined': (request, random, ground) => {
    const name = someHeader(request, random, ground);
    const others = Array.from({ length: 1 + random.below(4) }, () => valueOf(strange(ground, random), name));
    const separator = random.pick([' ', ',', ', ', '; ', ';', '\n', '', ground.subject.separator ?? ',']);
    const all = [...others, valueOf(request, name)];
    request.headers.set(name, [(random.below(2) === 0 ? all : all.reverse()).join(separator)]);
  },
  'header: hundreds joined': (request, random, ground) => {
    const { header, separator = ',' } = ground.subject;
    // One that was joined before would otherwise grow beyond what a string can hold.
    const value = valueOf(request, header).slice(0, 10_000);
    const filler = random.pick(['', 'x', 'v1=', value]);
    const all = [...Array<string>(random.below(400)).fill(filler), value];
    request.headers.set(header, [all.join(separator)]);
  },
  'header: sent twice': (request, random, ground) => {
    const name = someHeader(request, random, ground);
    const [one, other] = [
      valueOf(request, name),
      valueOf(random.pick([request, strange(ground, random)]), name),
    ];
    request.headers.set(
      name,
      random.pick([
        [one, other],
        [other, one],
        [one, ''],
        ['', one],
      ]),
    );
  },
  'header: dropped': (request, random, ground) => {
    request.headers.delete(someHeader(request, random, ground));
  },
  'header: emptied': (request, random, ground) => {
    request.headers.set(someHeader(request, random, ground), random.pick([[''], [' '], []]));
  },
  'header: swapped with another': (request, random, ground) => {
    const [one, other] = [someHeader(request, random, ground), someHeader(request, random, ground)];
    const [ofOne, ofOther] = [valueOf(request, one), valueOf(request, other)];
    request.headers.set(one, [ofOther]).set(other, [ofOne]);
  },
  'key: changed': (request, random) => {
    request.keys = request.keys.map((key) => bytesChanged(key, random));
  },
  'key: others': (request, random) => {
    request.keys = random.pick([
      [],
      [Buffer.alloc(0)],
      [Buffer.alloc(64)],
      [random.bytes(32)],
      request.keys.slice(1),
    ]);
  },
  'clock: elsewhere': (request, random, _ground, { moment }) => {
    request.now = random.pick([
      moment + TOLERANCE_MS,
      moment - TOLERANCE_MS,
      moment + TOLERANCE_MS + 1,
      moment - TOLERANCE_MS - 1,
      NOW + random.below(1_000_000) - 500_000,
      0,
    ]);
  },
};
