import { type StoryPlaces } from './steps.mjs';

export function playQuickstart(places: StoryPlaces & { readonly officePassword: string }): Promise<void>;
