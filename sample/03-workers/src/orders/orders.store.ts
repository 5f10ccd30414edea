import { Inject, Injectable, Logger, NotFoundException, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from 'ioredis';
import { type Settings, settings } from '../common/settings.js';
import { type Order, type Outcome, type PlacedOrder, type RequestState } from './order.js';

/**
 * The orders, shared by both processes. Each process writes its own field, so they need no lock: the outcome
 * wins over the request, whichever came first.
 */
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

  /** Idempotent: a repetition writes the same. */
  async decided(reference: string, outcome: Outcome): Promise<void> {
    await this.find(reference);
    await this.redis.hset(this.key(reference), { outcome });
    await this.redis.srem(this.undecidedKey, reference);
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
