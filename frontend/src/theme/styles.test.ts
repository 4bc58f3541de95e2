import { readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { classesOf, type Declaration, literalSizes, rulesOf } from './styles';

// All CSS except the tokens is built from tokens: one type scale, one spacing scale, semantic colors. And each class is
// defined in one file only.

const root = resolve(import.meta.dirname, '..');
// Vitest returns empty style sheets, so they are read as files.
const sheets = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.css'))
  .map((file) => ({
    file: file.replaceAll('\\', '/'),
    rules: rulesOf(readFileSync(resolve(root, file), 'utf8')),
  }));
const styled = sheets.filter(({ file }) => file !== 'theme/tokens.css');

/** Declarations that break a rule, with their files. */
function faults(wrong: (declaration: Declaration) => boolean): string[] {
  return styled.flatMap(({ file, rules }) =>
    rules
      .flatMap(({ declarations }) => declarations)
      .filter(wrong)
      .map(({ property, value }) => `${file}: ${property}: ${value}`),
  );
}

/** Markdown has its own fallback values for pages without a theme. */
const isToken = (value: string) => /^(?:var\(--[\w-]+(?:, [\w.]+)?\)|inherit|0)$/.test(value);

describe('style sheets', () => {
  it('are read with their media queries, and without keyframes', () => {
    const css =
      '/* a: b; */ .a, .b:is(.c, .d) { x: y; } @media (x) { .e { gap: 3px } } @keyframes k { to { z: 1 } }';
    expect(rulesOf(css)).toEqual([
      { selectors: ['.a', '.b:is(.c, .d)'], declarations: [{ property: 'x', value: 'y' }] },
      { selectors: ['.e'], declarations: [{ property: 'gap', value: '3px' }] },
    ]);
    expect(classesOf('.a > .b:has(.c) .d.e[x="y z"]:not(.f)')).toEqual(['d', 'e']);
    expect(literalSizes('3px -5px var(--space-1) calc(1px + 2px) 0px 1.5px')).toEqual([3, 5, 1.5]);
    expect(sheets.length).toBeGreaterThan(40);
  });

  it('let a browser find what changes without matching all that is around it', () => {
    // An unqualified :first-child or :last-child makes the browser match all siblings again whenever an element is
    // added.
    const anything = /(?:^|[\s>+~])\*?:(?:first|last|only|nth)[-\w]*/;
    const selectors = styled.flatMap(({ file, rules }) =>
      rules.flatMap((rule) => rule.selectors.map((s) => `${file}: ${s}`)),
    );
    expect(selectors.filter((selector) => anything.test(selector.replace(/^[^:]+: /, '')))).toEqual([]);
    // A block of a streaming text changes with each word.
    const looks = /\.(?:md|prose)\b.*:has\(/;
    expect(selectors.filter((selector) => looks.test(selector))).toEqual([]);
  });

  it('take sizes of text from the scale', () => {
    const relative = /^[\d.]+em$/;
    const letters = /^members\/monogram|^views\/members\/monogram/;
    expect(
      faults(({ property, value }) => property === 'font-size' && !isToken(value) && !relative.test(value))
        // Two letters fill their square.
        .filter((fault) => !letters.test(fault)),
    ).toEqual([]);
  });

  it('take colors from the tokens', () => {
    const made =
      /#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|oklch|lab|lch|hwb)a?\(|\b(?:white|black|red|green|blue|gr[ae]y|orange)\b/i;
    expect(
      faults(({ property, value }) => {
        // A mask has no color: black means visible. Token names may contain color names.
        if (property.startsWith('mask') || property.startsWith('white-space')) return false;
        return made.test(value.replace(/var\(--[\w-]+(?:, inherit)?\)|url\([^)]*\)|\bin oklch\b/g, ''));
      }),
    ).toEqual([]);
  });

  it('take radii from the tokens', () => {
    const made =
      /^(?:(?:var\(--(?:md-)?radius[\w-]*(?:, 6px)?\)|calc\(var\(--radius\) [+-] \d+px\)|50%|0|inherit)\s*)+$/;
    expect(
      faults(
        ({ property, value }) => property.endsWith('radius') && !made.test(value.replace(' !important', '')),
      ),
    ).toEqual([]);
  });

  it('take layers from the tokens', () => {
    expect(faults(({ property, value }) => property === 'z-index' && !isToken(value))).toEqual([]);
  });

  it('take times from the tokens', () => {
    const time = /(?<![\w-])[\d.]+m?s\b/;
    const still = (value: string) => value.replace(/0\.01ms|(?<![\d.])0m?s/g, '');
    expect(
      faults(({ property, value }) => /^(?:transition|animation)/.test(property) && time.test(still(value)))
        // A skeleton only appears after a delay, and spinners and shimmers have their own pace.
        .filter((fault) => !fault.startsWith('theme/parts.css: animation')),
    ).toEqual([]);
  });
});

/**
 * Sizes between the steps of the scale, by file: alignment with text or lines (a dot on the thread, an icon beside
 * text), and space for overlays of a list. The numbers may only decrease.
 */
const offScale: Readonly<Record<string, number>> = {
  'markdown/markdown.css': 1,
  'theme/base.css': 1,
  'theme/parts.css': 6,
  'views/branches/branches.css': 4,
  'views/calls/calls.css': 1,
  'views/changes/changes.css': 3,
  'views/composer/completion.css': 4,
  'views/composer/composer.css': 3,
  'views/composer/options.css': 3,
  'views/composer/queue.css': 3,
  'views/composer/usage.css': 2,
  'views/displays/displays.css': 7,
  'views/imports/imports.css': 1,
  'views/inbox/inbox-screen.css': 7,
  'views/mcp/mcp.css': 5,
  'views/members/members.css': 3,
  'views/models/models.css': 1,
  'views/palette/palette.css': 1,
  'views/permissions/permissions.css': 10,
  'views/registry/registry.css': 5,
  'views/requests/requests.css': 11,
  'views/offers/offers.css': 3,
  'views/secrets/secrets.css': 1,
  'views/settings/sections.css': 7,
  'views/settings/settings.css': 5,
  'views/sidebar/inbox.css': 1,
  'views/sidebar/sidebar.css': 7,
  'views/spaces/spaces.css': 8,
  'views/spaces/worktree.css': 5,
  'views/tools/tools.css': 14,
  'views/transcript/message-attachments.css': 2,
  'views/transcript/transcript.css': 5,
};

const spacing = /^(?:(?:scroll-)?(?:margin|padding)(?:-[a-z-]+)?|(?:row-|column-)?gap)$/;
/** Sizes that have a token. */
const scale = [2, 4, 6, 8, 10, 12, 14, 16, 20, 24, 32];

describe('spacing', () => {
  const sizes = styled.map(({ file, rules }) => ({
    file,
    bare: rules.flatMap(({ declarations }) =>
      declarations.flatMap(({ property, value }) =>
        spacing.test(property) ? literalSizes(value).map((size) => ({ property, value, size })) : [],
      ),
    ),
  }));

  it('uses the token of a size that has one (node src/theme/tokens.mjs)', () => {
    const missed = sizes.flatMap(({ file, bare }) =>
      bare
        .filter(({ value, size }) => scale.includes(size) && !value.includes(`-${size}px`))
        .map(({ property, value }) => `${file}: ${property}: ${value}`),
    );
    expect(missed).toEqual([]);
  });

  it('has no more sizes off the scale than it had', () => {
    const more = sizes
      .map(({ file, bare }) => ({ file, off: bare.filter(({ size }) => !scale.includes(size)).length }))
      .filter(({ file, off }) => off > (offScale[file] ?? 0));
    expect(Object.fromEntries(more.map(({ file, off }) => [file, off]))).toEqual({});
  });
});

/** What a view may override of a shared component: position, space, wrapping and text size, but not its look. */
const places =
  /^(?:margin|padding|font-size|overflow-wrap|text-overflow|align-items|justify-content|flex|align-self|justify-self|grid-(?:area|row|column)|order|(?:min-|max-)?(?:width|height)|position|top|right|bottom|left|inset)/;

/** Shared components that a view restyles, as "class in file". The list may only get shorter. */
const drawnOtherwise: readonly string[] = [
  'button in views/displays/displays.css',
  'button in views/requests/requests.css',
  'button in views/settings/sections.css',
  'code-box in views/registry/registry.css',
  'code-box in views/settings/settings.css',
  'code-box in views/tools/tools.css',
  'form-note in views/calls/calls.css',
  'form-note in views/secrets/secrets.css',
  'menu-item in views/requests/requests.css',
  'quiet-text in views/changes/changes.css',
  'quiet-text in views/tools/tools.css',
];

describe('classes', () => {
  const defined = sheets.flatMap(({ file, rules }) =>
    rules.flatMap(({ selectors, declarations }) =>
      selectors.flatMap((selector) => {
        // If an element has several classes, the last one is the variant.
        const name = classesOf(selector).at(-1);
        return name === undefined ? [] : [{ name, file, selector, declarations }];
      }),
    ),
  );
  const inTheme = new Set(defined.filter(({ file }) => file.startsWith('theme/')).map(({ name }) => name));

  it('of views are defined in one file', () => {
    const files = new Map<string, Set<string>>();
    for (const { name, file } of defined) {
      if (inTheme.has(name)) continue;
      files.set(name, (files.get(name) ?? new Set()).add(file));
    }
    // The terminal library gives its element this class.
    files.delete('xterm');
    const several = [...files].filter(([, in_]) => in_.size > 1);
    expect(several.map(([name, in_]) => `${name}: ${[...in_].join(', ')}`)).toEqual([]);
  });

  it('of the theme are placed by views, not drawn otherwise', () => {
    const otherwise = defined
      .filter(({ name, file }) => inTheme.has(name) && !file.startsWith('theme/'))
      .filter(({ declarations }) => declarations.some(({ property }) => !places.test(property)))
      .map(({ name, file }) => `${name} in ${file}`);
    expect([...new Set(otherwise)].sort()).toEqual(drawnOtherwise);
  });
});
