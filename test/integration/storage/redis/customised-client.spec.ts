import { Command, Redis } from 'ioredis';
import { redisStorage, type RedisClient } from 'nestjs-payments/redis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { forget, ownPrefix } from '../../../support/redis.js';
import { describeWith, redisService } from '../../../support/services.js';
import { type Story, storyOf } from '../../../support/storage-story.js';

const prefix = ownPrefix();
const USER = prefix.replaceAll(':', '-');
/** What an application may give: without scripts of its own, and without what looks at the server. */
const RULES = ['on', '>secret', `~*${prefix}*`, '+@all', '-script', '-@dangerous'];
const clients: Redis[] = [];

function client(options: object = {}): Redis {
  const opened = new Redis(redisService.url, options);
  opened.on('error', () => undefined);
  clients.push(opened);
  return opened;
}

/** As a tracer does it. */
function traced(given: Redis): RedisClient {
  const { sendCommand } = given;
  given.sendCommand = function (this: Redis, command, ...more) {
    command.promise.catch(() => undefined);
    return sendCommand.call(this, command, ...more);
  };
  return new Proxy(given, { get: (target, name): unknown => Reflect.get(target, name, target) });
}

const HABITS: readonly (readonly [what: string, open: () => RedisClient])[] = [
  ['a prefix for each key', () => client({ keyPrefix: 'shop:' })],
  ['numbers as texts', () => client({ stringNumbers: true, showFriendlyErrorStack: true })],
  ['commands that are sent together', () => client({ enableAutoPipelining: true })],
  ['replies as in RESP3', () => client({ replyMapping: 'resp3' })],
  ['another database', () => client({ db: 3, lazyConnect: true, commandTimeout: 5_000, readOnly: true })],
  ['a user with few rights', () => client({ username: USER, password: 'secret', enableReadyCheck: false })],
  ['scripts of the application', () => client({ scripts: { claim: { lua: 'return 1', numberOfKeys: 1 } } })],
  ['a tracer', () => traced(client())],
];

describeWith([redisService], 'redisStorage() on a client that its application has set up for itself', () => {
  let usual: Story;
  const told = (given: RedisClient, account: string): Promise<Story> =>
    storyOf(redisStorage({ client: given, keyPrefix: prefix }), account);

  beforeAll(async () => {
    await client().call('ACL', 'SETUSER', USER, ...RULES);
    Command.setReplyTransformer('hgetall', () => 'of the application');
    Command.setArgumentTransformer('hset', () => ['of', 'the', 'application']);
    usual = await told(client(), 'usual');
  });
  afterAll(async () => {
    await client().call('ACL', 'DELUSER', USER);
    for (const each of clients.splice(0)) {
      if (!each.options.username) await forget(each, `*${prefix}`);
      each.disconnect();
    }
  });

  it.each(HABITS)('answers the same: %s', async (what, open) => {
    const account = String(HABITS.findIndex(([other]) => other === what));
    expect(await told(open(), account)).toEqual(usual);
  });
});
