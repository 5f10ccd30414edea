import { expect, it } from 'vitest';
import { controllerFile, handlerFile } from '../../../../lib/cli/init/templates.js';

it.each([
  ['controller', controllerFile('PaymentsController')],
  ['handler', handlerFile('PaymentsHandler')],
])('the %s that init writes says that a method may run twice for one outcome', (_, code) => {
  expect(code.replaceAll(/\s+\*? ?/g, ' ')).toMatch(/may run twice.*: make it harmless\./);
  expect(code).not.toContain('once per outcome');
});
