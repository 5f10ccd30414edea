import { type ClockState } from '../clock/clock-state.js';
import { type SandboxClock } from '../clock/sandbox-clock.js';
import { type SandboxBank } from '../core/banks.js';
import { type Collection } from '../core/collection.js';
import { type Gateway } from '../core/gateway.js';
import { type IdSource } from '../core/id-source.js';
import { type UsedKey } from '../core/merchant.js';
import { type NameDirectory } from '../core/name-directory.js';
import { type Payout } from '../core/payout.js';
import { type RequestJournal, type SandboxRequest } from '../core/request-journal.js';
import { type StateKey } from '../core/state-key.js';
import { type FaultQueue } from '../faults/fault-queue.js';
import { type TimelineEntry } from '../timeline/timeline-entry.js';
import { type Timeline } from '../timeline/timeline.js';
import { deliveryTarget, type EndpointRegistry } from '../webhooks/endpoint-registry.js';
import { type WebhookDeliverer } from '../webhooks/webhook-deliverer.js';
import {
  deliveryOf,
  endpointOf,
  faultsOf,
  moneyOf,
  restoreMerchant,
  storedDelivery,
  type StoredDelivery,
  storedEndpoint,
  type StoredEndpoint,
  storedFaults,
  type StoredFaults,
  storedMerchant,
  type StoredMerchant,
  storedMoney,
  type StoredMoney,
} from './records.js';
import { type StoredSettings } from './state-entry.js';

/** The parts of an emulator that have state. */
export interface StatefulParts {
  readonly clock: SandboxClock;
  readonly gateway: Gateway;
  readonly directory: NameDirectory;
  readonly deliverer: WebhookDeliverer;
  readonly endpoints: EndpointRegistry;
  readonly faults: FaultQueue;
  readonly journal: RequestJournal;
  readonly timeline: Timeline;
  readonly idsOf: (merchant: string) => IdSource;
  /** The id sequences that were used. */
  readonly ids: ReadonlyMap<string, IdSource>;
  /** The number of received calls, which gives the next one its id. */
  readonly calls: { calls: number };
  /** The answers of each subject that a profile counts. */
  readonly answered: Map<string, number>;
  readonly settings: { readonly seed: number; readonly webhookSecret: string };
}

type Names = readonly string[];

/** Parts of one kind, by the names after the kind in their keys. */
export interface PartKind {
  /** The names of every part. */
  readonly list: () => readonly Names[];
  /** A part as JSON. Undefined: it was removed. */
  readonly read: (...names: Names) => unknown;
  /** @param settings Those of the state that is being restored. */
  readonly write: (value: unknown, names: Names, settings: StoredSettings | undefined) => void;
}

/** Every kind of part, in the order of a restore: deliveries name endpoints. */
export function partKinds(parts: StatefulParts): Readonly<Record<StateKey[0], PartKind>> {
  return {
    ...singleParts(parts),
    ...merchantParts(parts),
    ...moneyParts(parts),
    ...webhookParts(parts),
    ...records(parts),
  };
}

function singleParts({ clock, endpoints, faults, gateway, calls, settings }: StatefulParts) {
  return {
    settings: single(
      () => ({ seed: settings.seed, webhookSecret: settings.webhookSecret }),
      () => {},
    ),
    clock: single(
      () => clock.state,
      (state: ClockState) => {
        clock.restore(state);
      },
    ),
    counters: single(
      () => ({ requests: calls.calls, endpoints: endpoints.count }),
      (counters: { readonly requests: number; readonly endpoints: number }) => {
        calls.calls = counters.requests;
        endpoints.restore([], counters.endpoints);
      },
    ),
    banks: single(
      () => gateway.banks.all(),
      (banks: readonly SandboxBank[]) => {
        gateway.banks.replace(banks);
      },
    ),
    faults: single(
      () => storedFaults(faults.state),
      (stored: StoredFaults) => {
        faults.restore(faultsOf(stored));
      },
    ),
  };
}

function merchantParts({ gateway, directory: shared, ids, idsOf }: StatefulParts) {
  const names = (): readonly Names[] => gateway.merchants.map(({ name }) => [name]);
  const directoryOf = (merchant: string) => (merchant === '' ? shared : gateway.merchant(merchant).directory);
  return {
    ids: kind(
      () => [...ids.keys()].map((name) => [name]),
      (name) => idsOf(name).position,
      (position: number, name) => {
        idsOf(name).position = position;
      },
    ),
    merchant: kind(
      names,
      (name) => storedMerchant(gateway.merchant(name)),
      (value: StoredMerchant, name) => {
        restoreMerchant(value, gateway.merchant(name));
      },
    ),
    directory: kind(
      () => [[''], ...names()],
      (name) => directoryOf(name).entries(),
      (entries: ReturnType<NameDirectory['entries']>, name) => {
        directoryOf(name).replace(entries);
      },
    ),
  };
}

function moneyParts({ gateway }: StatefulParts) {
  return {
    key: kind(
      () => gateway.merchants.flatMap(({ name, usedKeys }) => [...usedKeys.keys()].map((key) => [name, key])),
      (name, key) => gateway.merchant(name).usedKeys.get(key),
      (used: UsedKey, name, key) => {
        gateway.merchant(name).usedKeys.set(key, used);
      },
    ),
    payment: kind(
      () =>
        gateway.merchants.flatMap(({ name, collections }) =>
          [...collections.keys()].map((reference) => [name, reference]),
        ),
      (name, reference) => stored(gateway.merchant(name).collections.get(reference), storedMoney),
      (payment: StoredMoney<Collection>, name, reference) => {
        gateway.merchant(name).collections.set(reference, moneyOf(payment));
      },
    ),
    payout: kind(
      () =>
        gateway.merchants.flatMap(({ name, payouts }) =>
          [...payouts.keys()].map((reference) => [name, reference]),
        ),
      (name, reference) => stored(gateway.merchant(name).payouts.get(reference), storedMoney),
      (payout: StoredMoney<Payout>, name, reference) => {
        gateway.merchant(name).payouts.set(reference, moneyOf(payout));
      },
    ),
  };
}

function webhookParts({ endpoints, deliverer, timeline, settings: { webhookSecret } }: StatefulParts) {
  return {
    endpoint: kind(
      () => endpoints.list().map(({ id }) => [id]),
      (id) => stored(endpoints.get(id), storedEndpoint),
      (endpoint: StoredEndpoint, _id, _, settings) => {
        // This run may have another secret.
        const secretNow = (text: string) => (text === settings?.webhookSecret ? webhookSecret : text);
        // Another run may have been allowed to deliver elsewhere.
        const url = deliveryTarget(endpoint.url, endpoints.settings.allowRemote);
        const restored = endpointOf(endpoint, url, secretNow, (text) => endpoints.keyOf(text));
        endpoints.restore([restored], endpoints.count);
      },
    ),
    delivery: kind(
      () => deliverer.list().map(({ id }) => [id]),
      (id) => stored(deliverer.get(id), storedDelivery),
      (value: StoredDelivery) => {
        const delivery = deliveryOf(value, (id) => endpoints.get(id));
        deliverer.restore(delivery);
        timeline.restoreDelivery(delivery);
      },
    ),
  };
}

function records({ answered, journal, timeline }: StatefulParts) {
  return {
    answered: kind(
      () => [...answered.keys()].map((subject) => [subject]),
      (subject) => answered.get(subject),
      (times: number, subject) => {
        answered.set(subject, times);
      },
    ),
    request: kind(
      () => journal.list().map(({ id }) => [id]),
      (id) => journal.get(id),
      (request: SandboxRequest) => {
        journal.begin(request);
        journal.end(request);
      },
    ),
    timeline: {
      list: () => timeline.list().map(([merchant, reference, index]) => [merchant, reference, String(index)]),
      read: (merchant = '', reference = '', index = '') => timeline.entry(merchant, reference, Number(index)),
      write: (entry, [merchant = '', reference = '', index]) => {
        timeline.restore(merchant, reference, Number(index), entry as TimelineEntry);
      },
    } satisfies PartKind,
  };
}

/** A kind with many parts. */
function kind(
  list: () => readonly Names[],
  read: (first: string, second: string, third: string) => unknown,
  write: (value: never, first: string, second: string, settings: StoredSettings | undefined) => void,
): PartKind {
  return {
    list,
    read: (first = '', second = '', third = '') => read(first, second, third),
    write: (value, [first = '', second = ''], settings) => {
      write(value as never, first, second, settings);
    },
  };
}

/** A kind with one part. */
function single(read: () => unknown, write: (value: never) => void): PartKind {
  return kind(() => [[]], read, write);
}

function stored<Item, Json>(item: Item | undefined, write: (item: Item) => Json): Json | undefined {
  return item === undefined ? undefined : write(item);
}
