import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { takenRouteIn } from '../../../../lib/cli/init/taken-route.js';

describe('takenRouteIn', () => {
  const found = (text: string): string | undefined =>
    takenRouteIn(
      [
        { file: 'empty.ts', text: '' },
        { file: 'hooks.ts', text },
      ],
      ts,
    );
  const hooks = (controller: string, method: string): string =>
    `import { All, Controller, Post, Version, VERSION_NEUTRAL } from '@nestjs/common';
@Controller(${controller})
export class Hooks { ${method} received() {} }
`;

  it.each([
    ["'webhooks'", "@Post('payments')"],
    ["'/webhooks/'", "@Post('/payments/')"],
    ["'webhooks'", "@Post(':provider')"],
    ["'webhooks/payments'", '@Post()'],
    ['', "@Post('webhooks/payments')"],
    ['', '@Post(`webhooks/payments`)'],
    ["'Webhooks'", "@Post('Payments')"],
    ["{ path: ['hooks', 'webhooks'] }", "@Post(['stripe', 'payments'])"],
    ["{ path: 'webhooks', version: VERSION_NEUTRAL }", "@HttpCode(200) @Post('payments')"],
    ["'webhooks'", "@All('*')"],
    ["'webhooks'", "@All('*rest')"],
  ])('finds @Controller(%s) with %s', (controller, method) => {
    expect(found(hooks(controller, method))).toBe('hooks.ts');
  });

  it.each([
    ["'webhooks'", "@Get('payments')"],
    ["'webhooks'", "@Post('payment')"],
    ["'webhooks'", "/* @Post('payments') */"],
    ["'webhooks'", '@Post(PATH)'],
    ["'webhooks'", "@Version('2') @Post('payments')"],
    ["{ path: 'webhooks', version: '1' }", "@Post('payments')"],
    ["'webhooks/:provider'", "@Post('payments')"],
    ['', "@All('*path')"],
    ['', '@Post()'],
  ])('finds nothing in @Controller(%s) with %s', (controller, method) => {
    expect(found(hooks(controller, method))).toBeUndefined();
  });

  it('knows the decorators under other names', () => {
    const text = hooks("'webhooks'", "@Write('payments')").replace(' Post', ' Post as Write');
    expect(found(text)).toBe('hooks.ts');
    expect(found(text.replace('@nestjs/common', './decorators'))).toBeUndefined();
  });

  it('leaves out a controller for this package', () => {
    const text = `import { PaymentsWebhook } from 'nestjs-payments';
${hooks("'webhooks'", "@PaymentsWebhook('more') more() {} @Post('payments')")}`;
    expect(found(text)).toBeUndefined();
  });
});
