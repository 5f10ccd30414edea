import { randomUUID } from 'node:crypto';

/** The shop as its pages use it. */
export class ShopClient {
  constructor(
    readonly url: string,
    /** What a browser sends with every request, such as the password of the office. */
    private readonly usual: Record<string, string> = {},
  ) {}

  /** The same shop for somebody who knows a password of the office. */
  office(password: string): ShopClient {
    const user = Buffer.from(`office:${password}`).toString('base64');
    return new ShopClient(this.url, { authorization: `Basic ${user}` });
  }

  async get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return answerOf(await fetch(`${this.url}${path}`, { headers: { ...this.usual, ...headers } }));
  }

  async post(path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> {
    return answerOf(
      await fetch(`${this.url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...this.usual, ...headers },
        body: JSON.stringify(body),
      }),
    );
  }

  buy(change: Record<string, string> = {}): Promise<Answer> {
    const customer = { name: 'Asha Mrema', phone: '255712345678', email: 'asha@example.com' };
    const order = { checkout: randomUUID(), product: 'coffee', method: 'mobile-money' };
    return this.post('/orders', { ...order, ...customer, ...change });
  }

  /** The states that the order's page receives until the order ends. */
  async *follow(reference: string): AsyncGenerator<Fields> {
    const { body } = await fetch(`${this.url}/orders/${reference}/events`);
    let text = '';
    for await (const chunk of body!.pipeThrough(new TextDecoderStream())) {
      const messages = (text + chunk).split('\n\n');
      text = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1];
        if (data) yield JSON.parse(data) as Fields;
      }
    }
  }
}

export type Fields = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly body: Fields;
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as Fields) };
}
