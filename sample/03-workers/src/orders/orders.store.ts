import { Inject, Injectable, Logger, NotFoundException, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { type Settings, settings } from '../common/settings.js';
import { type Order, type Outcome, type PlacedOrder, type RequestState } from './order.js';

/**
 * Stores an outcome, and returns the one that counts. One order may have several: one that is paid stays so, and one in
 * review ends only as paid. A script, because workers decide at the same time.
 */
const DECIDE = `
  local before = redis.call('HGET', KEYS[1], 'outcome')
  if before == 'paid' or (before == 'in-review' and ARGV[1] ~= 'paid') then return before end
  redis.call('HSET', KEYS[1], 'outcome', ARGV[1])
  return ARGV[1]
`;

/** The orders, shared by both processes. Each process writes its own field, and the outcome wins over the request. */
@Injectable()
export class OrdersStore implements OnApplicationShutdown {
  private readonly logger = new Logger(OrdersStore.name);
  private readonly redis: Redis;
  private readonly prefix: string;
  private readonly undecidedKey: string;

  constructor(@Inject(settings.KEY) { redisUrl, prefix }: Settings) {
    this.prefix = `${prefix}order:`;
    this.undecidedKey = `${prefix}undecided-orders`;
    this.redis = new Redis(redisUrl, { maxRetriesPerRequest: 1 });
    this.redis.on('error', ({ message }) => {
      this.logger.warn(`Redis: ${message}`);
    });
  }

  /** Stores an order once, and returns what is stored. */
  async open(order: PlacedOrder): Promise<Order> {
    const { reference } = order;
    const key = this.key(reference);
    await this.redis
      .multi()
      .hsetnx(key, 'order', JSON.stringify(order))
      .hsetnx(key, 'request', 'asking')
      .exec();
    const stored = await this.find(reference);
    // A process may have died before it did so. A member too many is looked at once more, and does no harm.
    if (stored.status === 'asking') await this.redis.sadd(this.undecidedKey, reference);
    return stored;
  }

  async asked(reference: string, request: RequestState): Promise<void> {
    await this.redis.hset(this.key(reference), { request });
    if (request === 'refused') await this.redis.srem(this.undecidedKey, reference);
    else await this.redis.sadd(this.undecidedKey, reference);
  }

  /** Idempotent. Returns the outcome that counts: that of a paid order stays. */
  async decided(reference: string, outcome: Outcome): Promise<Outcome> {
    await this.find(reference);
    const counts = (await this.redis.eval(DECIDE, 1, this.key(reference), outcome)) as Outcome;
    await this.redis.srem(this.undecidedKey, reference);
    return counts;
  }

  /** The references of all orders without an outcome. */
  undecided(): Promise<readonly string[]> {
    return this.redis.smembers(this.undecidedKey);
  }

  /** @throws if there is no order with this reference. */
  async find(reference: string): Promise<Order> {
    const { order, request, outcome } = await this.redis.hgetall(this.key(reference));
    if (order === undefined) throw new NotFoundException(`There is no order ${reference}.`);
    return { ...(JSON.parse(order) as PlacedOrder), status: (outcome ?? request) as Order['status'] };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.redis.quit();
  }

  private key(reference: string): string {
    return `${this.prefix}${reference}`;
  }
}
