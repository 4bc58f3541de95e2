import { withSession } from './page';

/** Something of others that ships with Weft. */
export interface NoticePart {
  name: string;
  version: string;
  kind: 'go' | 'npm' | 'font';
  /** An SPDX expression. */
  license: string;
  /** Where its source is. */
  url: string;
  /** Which of the texts are for it. */
  texts: number[];
}

/** What build/notices has collected. */
export interface Notices {
  parts: NoticePart[];
  texts: string[];
}

/** The notices, which lie beside the page; null if this build has none. */
export async function notices(): Promise<Notices | null> {
  const response = await fetch('notices.json', withSession());
  if (response.status === 404) return null;
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return (await response.json()) as Notices;
}
