// The form that plans a fault.
import { write } from './control.js';
import { choice, field, filled, form } from './fields.js';
import { OPERATIONS } from './operations.generated.js';

const KINDS = [
  'status',
  'html',
  'delay',
  'drip',
  'hang',
  'dropBefore',
  'dropAfterProcessing',
  'reset',
  'partialBody',
  'malformedJson',
];
const NUMBER = { inputmode: 'numeric' };

/** A line that only some kinds of faults have. */
function lineFor(kinds, line) {
  line.dataset.for = kinds;
  return line;
}

export function faultForm() {
  const operations = OPERATIONS.map((operation) => [operation, operation]);
  const operation = choice('fault-operation', 'column.operation', 'operation', operations);
  operation.classList.add('whole');
  const kinds = KINDS.map((kind) => [kind, '', `fault.${kind}`]);
  const made = form(
    'fault',
    'planFault',
    [
      operation,
      choice('fault-kind', 'column.what', 'kind', kinds),
      lineFor(
        'status html',
        field('fault-status', 'httpStatus', { name: 'status', value: '503', ...NUMBER }),
      ),
      lineFor(
        'status html',
        choice('fault-processing', 'column.call', 'after_processing', [
          ['', '', 'call.unprocessed'],
          ['true', '', 'call.processed'],
        ]),
      ),
      lineFor('delay drip', field('fault-duration', 'duration', { name: 'duration', value: '2s' })),
      field('fault-times', 'timesOrAll', { name: 'times', value: '1', ...NUMBER }),
      field('fault-reference', 'anyReference', { name: 'reference' }),
      field('fault-merchant', 'anyMerchant', { name: 'merchant' }),
      field('fault-probability', 'probability', {
        name: 'probability',
        inputmode: 'decimal',
        placeholder: '1',
      }),
      lineFor('status', field('fault-retry-after', 'retryAfter', { name: 'retry_after', ...NUMBER })),
      lineFor('status', field('fault-code', 'gatewayCode', { name: 'code' })),
    ],
    async (fields) => void (await write('faults', faultOf(fields))),
  );
  const kind = made.querySelector('#fault-kind');
  const showFields = () => {
    for (const line of made.querySelectorAll('[data-for]')) {
      line.hidden = !line.dataset.for.split(' ').includes(kind.value);
    }
  };
  kind.addEventListener('change', showFields);
  showFields();
  return made;
}

function faultOf({ operation, kind, status, duration, ...rest }) {
  const {
    times,
    probability,
    retry_after: retryAfter,
    after_processing: processed,
    reference,
    merchant,
    code,
  } = filled(rest);
  return {
    operation,
    kind,
    ...(times && { times: Number(times) }),
    ...(probability && { probability: Number(probability) }),
    ...(kind === 'status' && retryAfter && { retry_after: Number(retryAfter) }),
    ...(kind === 'status' && code && { code }),
    ...(merchant && { merchant }),
    ...(['status', 'html'].includes(kind) && {
      status: Number(status),
      ...(processed && { after_processing: true }),
    }),
    ...(['delay', 'drip'].includes(kind) && { duration: duration.trim() }),
    ...(reference && { reference }),
  };
}
