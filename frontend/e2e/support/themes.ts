/**
 * The themes in which tests of looks run. One is enough: `accessible` judges the colors of the other one too. Pictures are taken of both.
 */
export const themes =
  process.env['WEFT_PICTURES'] === undefined ? (['light'] as const) : (['light', 'dark'] as const);
