import { render } from '@testing-library/react';
import { afterAll, expect, it } from 'vitest';
import { setLanguage, t } from '../../i18n';
import { type Language, languages } from '../../i18n/language';
import { Sentence, withSlots } from '../../i18n/Sentence';
import type { By } from '../../transcript/types';
import { WhyAsked } from './NotAsked';

afterAll(() => setLanguage('en'));

const hostile = [
  'src/generated.ts',
  '\u0001code\u0002',
  '{{code}}',
  '$t(cancel)',
  '<b>bold</b>',
  'a\u0001b\u0002c',
];
const kinds = [
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
];

/** The rendered form of a value: invisible characters are spelled out. */
const drawn = (value: string) => value.replaceAll('\u0001', '\\u{1}').replaceAll('\u0002', '\\u{2}');

it('says what a rule rejects without placeholders, in every language and whatever the rule says', async () => {
  for (const language of Object.keys(languages) as Language[]) {
    await setLanguage(language);
    for (const value of hostile) {
      const rules: Partial<By>[] = [
        { path: value },
        { command: value },
        { tool: value },
        ...kinds.flatMap((kind) => [{ kind }, { kind, path: value }]),
      ];
      for (const rule of rules) {
        const { container, unmount } = render(<WhyAsked by={{ who: 'rule', effect: 'reject', ...rule }} />);
        const said = container.textContent ?? '';
        const named = rule.path ?? rule.command ?? rule.tool ?? '';
        expect(said.split(drawn(named)).length - 1, `${language}: ${said}`).toBeGreaterThan(0);
        expect(said.replace(drawn(named), ''), `${language}: ${said}`).not.toMatch(
          /[{}]|\\u|undefined|\[object/,
        );
        if (named !== '') expect(container.querySelector('code')?.textContent).toBe(drawn(named));
        unmount();
      }
    }
  }
});

it('takes no words of others for a place of its own', () => {
  for (const name of hostile) {
    const { container, unmount } = render(
      <Sentence
        text={withSlots((slot) => t('greeting.agent', { agent: name, folder: slot('code') }))}
        slots={{ code: <code>here</code> }}
      />,
    );
    expect(container.querySelectorAll('code')).toHaveLength(1);
    expect(container.textContent).toContain(name);
    unmount();
  }
});
