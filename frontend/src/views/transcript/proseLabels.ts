import { t } from '../../i18n';
import type { MarkdownLabels } from '../../markdown';

export const labels: MarkdownLabels = {
  copy: t('markdown.copy'),
  copied: t('markdown.copied'),
  code: t('markdown.code'),
  table: t('markdown.table'),
  image: t('markdown.image'),
  load: t('markdown.load'),
  done: t('markdown.done'),
  open: t('markdown.open'),
  footnotes: t('markdown.footnotes'),
  tooLong: t('markdown.tooLong'),
  earlier: t('markdown.earlier'),
  details: t('markdown.details'),
  formula: t('markdown.formula'),
  formulaFailed: t('markdown.formulaFailed'),
  diagram: t('markdown.diagram'),
  source: t('markdown.source'),
  diagramView: t('markdown.diagramView'),
  diagramFailed: t('markdown.diagramFailed'),
  diagramRefused: t('markdown.diagramRefused'),
  diagramSlow: t('markdown.diagramSlow'),
  diagramLine: (n) => t('markdown.diagramLine', { n }),
  diagramEnd: t('markdown.diagramEnd'),
  diagramError: t('markdown.diagramError'),
};
