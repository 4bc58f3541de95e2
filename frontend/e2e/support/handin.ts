import type { Page } from '@playwright/test';

/** A file as a test hands it in: text, a picture that is drawn, or one of noise, which stays large. */
export interface Given {
  name: string;
  type: string;
  text?: string;
  draw?: { width: number; height: number; noise?: boolean };
}

/** Pastes files into the composer, or drops them on the window. */
export async function handIn(page: Page, how: 'paste' | 'drop', files: readonly Given[]): Promise<void> {
  await page.evaluate(
    async ({ how, files }) => {
      const drawn = async (width: number, height: number, noise: boolean): Promise<Blob> => {
        const canvas = document.createElement('canvas');
        canvas.width = width;
        canvas.height = height;
        const pen = canvas.getContext('2d');
        if (pen === null) throw new Error('no canvas');
        if (noise) {
          const pixels = pen.createImageData(width, height);
          for (let i = 0; i < pixels.data.length; i += 65_536)
            crypto.getRandomValues(pixels.data.subarray(i, i + 65_536));
          for (let i = 3; i < pixels.data.length; i += 4) pixels.data[i] = 255;
          pen.putImageData(pixels, 0, 0);
        } else {
          const sky = pen.createLinearGradient(0, 0, width, height);
          sky.addColorStop(0, '#2f6f4f');
          sky.addColorStop(1, '#e8b04a');
          pen.fillStyle = sky;
          pen.fillRect(0, 0, width, height);
          pen.fillStyle = '#c8342c';
          pen.beginPath();
          pen.arc(width / 2, height / 2, height / 4, 0, 7);
          pen.fill();
        }
        return new Promise((done) => canvas.toBlob((blob) => done(blob as Blob), 'image/png'));
      };
      const data = new DataTransfer();
      for (const { name, type, text, draw } of files) {
        const content =
          draw === undefined ? (text ?? '') : await drawn(draw.width, draw.height, draw.noise ?? false);
        data.items.add(new File([content], name, { type }));
      }
      if (how === 'paste') {
        const field = document.querySelector('.composer-field');
        field?.dispatchEvent(
          new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }),
        );
        return;
      }
      for (const type of ['dragenter', 'dragover', 'drop'])
        document.body.dispatchEvent(
          new DragEvent(type, { dataTransfer: data, bubbles: true, cancelable: true }),
        );
    },
    { how, files },
  );
}
