import { differs, type Finding, held, learnt, unexpected } from './finding.js';
import { type Question } from './question.js';
import { codeOf, isAccepted, type KnownAnswer } from './step-answer.js';

const BALANCE = 'GET /merchant-balance';

/** What the gateway takes as credentials. */
export const CREDENTIAL_QUESTIONS: readonly Question[] = [
  {
    name: 'no credentials',
    point: 'who may call',
    asks: 'Does a request without credentials give 401 and UNAUTHORIZED?',
    needs: [],
    steps: () => [{ operation: BALANCE, credentials: 'none' }],
    concludes: unauthorized,
  },
  {
    name: 'wrong secret',
    point: 'who may call',
    asks: 'Does the key with a wrong secret give 401 and UNAUTHORIZED?',
    needs: [],
    steps: () => [{ operation: BALANCE, credentials: 'wrong secret' }],
    concludes: unauthorized,
  },
  {
    name: 'bearer',
    point: 'shows `Authorization: Bearer` once, two headers elsewhere',
    asks: 'Is Authorization: Bearer taken in place of the two headers?',
    needs: [],
    steps: () => [{ operation: BALANCE }, { operation: BALANCE, credentials: 'bearer' }],
    concludes: (answers) => {
      const [control, bearer] = answers;
      if (!isAccepted(control) || !bearer) return unexpected('a success with the two headers', answers);
      if (isAccepted(bearer))
        return learnt('bearer', 'accepted', 'Authorization: Bearer is taken', answers, "auth: 'bearer'");
      if (codeOf(bearer) === 'UNAUTHORIZED')
        return learnt('bearer', 'refused', 'Authorization: Bearer is refused', answers);
      return unexpected('a success or UNAUTHORIZED', answers);
    },
  },
];

function unauthorized(answers: readonly KnownAnswer[]): readonly Finding[] {
  const [answer] = answers;
  if (codeOf(answer) !== 'UNAUTHORIZED') {
    return answer && isAccepted(answer)
      ? differs('a request without right credentials is answered', answers)
      : unexpected('UNAUTHORIZED', answers);
  }
  if (answer?.status === 401) return held('401 and UNAUTHORIZED', answers);
  return differs(`UNAUTHORIZED comes with ${answer?.status ?? 0}, not 401`, answers);
}
