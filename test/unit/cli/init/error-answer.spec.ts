import { describe, expect, it } from 'vitest';
import { errorAnswerIn } from '../../../../lib/cli/init/error-answer.js';

describe('errorAnswerIn', () => {
  const answer = (text: string): string | undefined =>
    errorAnswerIn([
      { file: 'empty.ts', text: '' },
      { file: 'filter.ts', text },
    ])?.code;

  it.each([
    ['@Catch()\nclass Filter {}', '@Catch()'],
    ['@Catch( )', '@Catch( )'],
    ['@Catch(HttpException)', '@Catch(HttpException)'],
    ['@Catch(\n  TypeError,\n  HttpException,\n)', '@Catch( TypeError, HttpException, )'],
    ['@Catch(Error)', '@Catch(Error)'],
    ['@Catch(PaymentsError)', '@Catch(PaymentsError)'],
    ['@Catch(PaymentOutcomeUnknownError)', '@Catch(PaymentOutcomeUnknownError)'],
    ['{ provide: APP_FILTER, useClass: Filter }', 'APP_FILTER'],
    ['app.useGlobalFilters(new Filter());', 'useGlobalFilters'],
    ['@UseInterceptors(PaymentsErrorInterceptor)', 'PaymentsErrorInterceptor'],
  ])('finds that %j answers errors', (text, code) => {
    expect(answer(text)).toBe(code);
  });

  it.each(['@Catch(TypeError)', '@Catch(QueryFailedError, EntityNotFoundError)', 'promise.catch()', ''])(
    'finds nothing in %j',
    (text) => {
      expect(answer(text)).toBeUndefined();
    },
  );
});
