import { t } from '../../i18n';
import type { MarkdownLabels } from '../../markdown';

export const labels: MarkdownLabels = {
  get copy() {
    return t('markdown.copy');
  },
  get copied() {
    return t('markdown.copied');
  },
  get code() {
    return t('markdown.code');
  },
  get table() {
    return t('markdown.table');
  },
  get image() {
    return t('markdown.image');
  },
  get load() {
    return t('markdown.load');
  },
  get done() {
    return t('markdown.done');
  },
  get open() {
    return t('markdown.open');
  },
  get footnotes() {
    return t('markdown.footnotes');
  },
  get tooLong() {
    return t('markdown.tooLong');
  },
  get earlier() {
    return t('markdown.earlier');
  },
  get details() {
    return t('markdown.details');
  },
  get formula() {
    return t('markdown.formula');
  },
  get formulaFailed() {
    return t('markdown.formulaFailed');
  },
  get diagram() {
    return t('markdown.diagram');
  },
  get source() {
    return t('markdown.source');
  },
  get diagramView() {
    return t('markdown.diagramView');
  },
  get diagramFailed() {
    return t('markdown.diagramFailed');
  },
  get diagramRefused() {
    return t('markdown.diagramRefused');
  },
  get diagramSlow() {
    return t('markdown.diagramSlow');
  },
  diagramLine: (n) => t('markdown.diagramLine', { n }),
  get diagramEnd() {
    return t('markdown.diagramEnd');
  },
  get diagramError() {
    return t('markdown.diagramError');
  },
};
