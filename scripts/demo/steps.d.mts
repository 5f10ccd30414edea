export class StoryError extends Error {
  constructor(step: string, problem: string);
}

export interface StoryPlaces {
  readonly shop: string;
  readonly emulator: string;
  readonly tell: (step: string, seen: string) => void;
}
