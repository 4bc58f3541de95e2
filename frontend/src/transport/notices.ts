import { withSession } from './page';

/** Third-party software that ships with Weft. */
export interface NoticePart {
  name: string;
  version: string;
  kind: 'go' | 'npm' | 'font';
  /** An SPDX expression. */
  license: string;
  /** URL of its source. */
  url: string;
  /** Indices of its license texts. */
  texts: number[];
}

/** What build/notices collected. */
export interface Notices {
  parts: NoticePart[];
  texts: string[];
}

/** Loads the notices, a file next to the page; null if this build has none. */
export async function notices(): Promise<Notices | null> {
  const response = await fetch('notices.json', withSession());
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (await response.json()) as Notices;
}
