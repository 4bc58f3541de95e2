import { useEffect, useRef, useState } from 'react';
import { findFiles } from '../../commands/prompts';
import type { Attachments } from '../../state/attachments';
import { useWeft } from '../../state/weft';
import { attach, pathWithin, transferContents } from './useAttachments';

/**
 * Accepts files dropped anywhere on the window; a dropped file never navigates away from the app. Returns whether files
 * are being dragged.
 */
export function useFileDrop(
  spaceId: string,
  folder: string,
  attachments: Attachments,
  onTaken: () => void,
): { dragging: boolean; take(data: DataTransfer): boolean } {
  const weft = useWeft();
  const [dragging, setDragging] = useState(false);

  const takeUri = async (uri: string, files: readonly File[]): Promise<void> => {
    const path = pathWithin(folder, uri);
    if (path === null) return;
    const found = await findFiles(weft, { spaceId, query: path, exact: true }).catch(() => null);
    const match = found?.files?.[0];
    // An image of the folder is attached as an image, because the file itself is available.
    if (match === undefined || match.path.replace(/\/$/, '') !== path.replace(/\/$/, '')) return;
    if (files.some(({ type }) => /^(image|audio)\//.test(type))) return;
    attachments.addPath(match.path);
  };

  const take = (data: DataTransfer): boolean => {
    const { files, folders, uris } = transferContents(data);
    if (files.length + folders.length + uris.length === 0) return false;
    const within = uris.filter((uri) => pathWithin(folder, uri) !== null);
    for (const uri of within) void takeUri(uri, files);
    const names = new Set(
      within.map((uri) => decodeURIComponent(new URL(uri).pathname).split('/').filter(Boolean).at(-1)),
    );
    attach(
      attachments,
      files.filter((file) => /^(image|audio)\//.test(file.type) || !names.has(file.name)),
    );
    for (const name of folders) if (!names.has(name)) attachments.addFolder(name);
    onTaken();
    return true;
  };
  const latest = useRef(take);
  latest.current = take;

  useEffect(() => {
    let inside = 0;
    const brings = (event: DragEvent) => event.dataTransfer?.types.includes('Files') === true;
    const busy = () => document.querySelector('[role=dialog]') !== null;
    const enter = (event: DragEvent) => {
      if (!brings(event)) return;
      event.preventDefault();
      inside++;
      if (!busy()) setDragging(true);
    };
    const over = (event: DragEvent) => {
      if (!brings(event)) return;
      event.preventDefault();
      if (event.dataTransfer !== null) event.dataTransfer.dropEffect = busy() ? 'none' : 'copy';
    };
    const leave = (event: DragEvent) => {
      if (!brings(event)) return;
      inside = Math.max(0, inside - 1);
      if (inside === 0) setDragging(false);
    };
    const drop = (event: DragEvent) => {
      if (!brings(event)) return;
      event.preventDefault();
      inside = 0;
      setDragging(false);
      if (!busy() && event.dataTransfer !== null) latest.current(event.dataTransfer);
    };
    window.addEventListener('dragenter', enter);
    window.addEventListener('dragover', over);
    window.addEventListener('dragleave', leave);
    window.addEventListener('drop', drop);
    return () => {
      window.removeEventListener('dragenter', enter);
      window.removeEventListener('dragover', over);
      window.removeEventListener('dragleave', leave);
      window.removeEventListener('drop', drop);
    };
  }, []);
  return { dragging, take };
}
