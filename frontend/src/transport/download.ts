import { failureOf } from './http';
import { withSession } from './page';

/** Makes the browser save a URL of Weft under the name that Weft gives it. */
export async function download(address: string): Promise<void> {
  const response = await fetch(address, withSession());
  if (!response.ok) throw await failureOf(response);
  const name = /filename="([^"]+)"/.exec(response.headers.get('Content-Disposition') ?? '')?.[1] ?? '';
  const url = URL.createObjectURL(await response.blob());
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
