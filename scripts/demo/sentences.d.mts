type Sentences = readonly (readonly [who: string, sentence: string])[];

export function requestSentences(request: object): Sentences;
export function paymentSentences(payment: object): Sentences;
export function deliverySentences(delivery: object): Sentences;
export function orderSentences(order: object, words: Readonly<Record<string, string>>): Sentences;
export function whyNoDemo(message: string): string;
export function timeOf(moment: string | number): string;
