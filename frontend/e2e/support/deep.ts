/** Marks a test of `make deep`: sizes that are seldom met, looks that the gallery shows too, stories of many steps. */
export const deep = { tag: '@deep' };

/** Tests in a folder `deep` need no mark. */
const marked = /@deep\b|\bdeep\//;

/** Which tests run: those of `make test`, with WEFT_DEEP=1 those of `make deep`, with WEFT_DEEP=all both. */
export function selection(): { grep?: RegExp; grepInvert?: RegExp } {
  const which = process.env['WEFT_DEEP'];
  if (which === 'all') return {};
  return which === undefined ? { grepInvert: marked } : { grep: marked };
}
