import { type StoryPlaces } from './steps.mjs';

export function playQuickstart(places: StoryPlaces): Promise<void>;
