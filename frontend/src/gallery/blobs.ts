// The backend serves images as blobs. The gallery has a single image and never uses the network.

/** A drawing of a meadow. */
export const pictureData =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAPAAAACWAgMAAACdlu1GAAAACVBMVEWMvutGjDz/87CcW+oHAAAA0UlEQVR42u3WwQ2CQBCFYSDh4t0mrMISuEw/lsLRTJVGIUGWFeFNkGD+d+PwZYadZZeiIISQI+XiLtuTu98DheXS1dN6q3ct9/3qWu27s377Oa563OrrJa7YfriflDYrMHhbfNCvKnSS7HcAxs7t0I0RuqtCt2Tsfg79GRBCCCF/ltK6XAVrQ9SySvHaTNapXaOndrkuzWSdt6m2VTbR2QF+tmOdG/+cHenM5pm373r6IrXZUt09NoM92/c0ydZf2PK4uAUCBoPBYDAYDAaDwUkedrwubvQC/NQAAAAASUVORK5CYII=';

/** Hash of the image. */
export const pictureHash = 'a'.repeat(64);
/** Hash of an image that never loads. */
export const pendingHash = 'b'.repeat(64);

const real = globalThis.fetch;
globalThis.fetch = async (input, init) => {
  const address = String(input instanceof Request ? input.url : input);
  if (address.includes(`/blob/${pendingHash}`)) return new Promise(() => {});
  if (address.includes('/blob/')) return real(pictureData);
  if (address.startsWith('data:') || address.startsWith('blob:')) return real(input, init);
  throw new TypeError('The gallery reaches no network.');
};
