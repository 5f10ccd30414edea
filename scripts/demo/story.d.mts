export class StoryError extends Error {
  constructor(step: string, problem: string);
}

export function playStory(story: {
  readonly shop: string;
  readonly emulator: string;
  readonly tell: (step: string, seen: string) => void;
}): Promise<void>;
