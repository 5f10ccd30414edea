export interface DeadLink {
  readonly page: string;
  readonly link: string;
}

export function deadLinks(dist: string, base: string): readonly DeadLink[];
