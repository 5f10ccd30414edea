import { type LetterQuestion } from './letter-questions.js';

const FRAMES = {
  english: {
    title: 'Questions about your payment interface',
    before:
      'Dear support team,\n\nwe are connecting our application with your payment interface. Its specification leaves the following points open. Please tell us:',
    after: 'Thank you.',
  },
  swahili: {
    title: 'Maswali kuhusu mfumo wenu wa malipo',
    before:
      'Ndugu timu ya msaada,\n\ntunaunganisha programu yetu na mfumo wenu wa malipo. Maelezo ya mfumo (specification) hayaelezi mambo yafuatayo. Tafadhali tuelezeni:',
    after: 'Asante.',
  },
} as const;

/** A letter to the support of the gateway, in English and in Swahili with the same numbers, as Markdown. */
export function letterOf(questions: readonly LetterQuestion[]): string {
  const languages = ['english', 'swahili'] as const;
  return languages
    .map((language) => {
      const { title, before, after } = FRAMES[language];
      const list = questions.map((question, index) => `${index + 1}. ${question[language]}`).join('\n');
      return `# ${title}\n\n${before}\n\n${list}\n\n${after}\n`;
    })
    .join('\n---\n\n');
}
