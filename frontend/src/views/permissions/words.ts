import { t } from '../../i18n';
import { type TextWithSlots, withSlots } from '../../i18n/Sentence';
import type { Rule } from '../../transport/api';

export const kinds = [
  'read',
  'edit',
  'delete',
  'move',
  'search',
  'execute',
  'think',
  'fetch',
  'switch_mode',
  'other',
] as const;
export const fileKinds = ['read', 'edit', 'delete', 'move', 'search'] as const;

type Kind = (typeof kinds)[number];
type FileKind = (typeof fileKinds)[number];

export function kindOf(kind: string): Kind {
  return kinds.find((known) => known === kind) ?? 'other';
}

export function isFileKind(kind: string): kind is FileKind {
  return fileKinds.some((known) => known === kind);
}

/** What a rule applies to: words with a placeholder for its pattern, if it has one. */
export function about(rule: Pick<Rule, 'kind' | 'command' | 'path' | 'tool'>): {
  words: TextWithSlots;
  code: string;
} {
  if (rule.tool !== '')
    return { words: withSlots((slot) => t('rule.does.tool', { code: slot('code') })), code: rule.tool };
  if (rule.command !== '')
    return { words: withSlots((slot) => t('rule.does.command', { code: slot('code') })), code: rule.command };
  if (rule.path !== '') {
    const { kind, path } = rule;
    const words = withSlots((slot) =>
      isFileKind(kind)
        ? t(`rule.does.filesOf.${kind}`, { code: slot('code') })
        : t('rule.does.files', { code: slot('code') }),
    );
    return { words, code: path };
  }
  return { words: withSlots(() => t(`rule.does.${kindOf(rule.kind)}`)), code: '' };
}
