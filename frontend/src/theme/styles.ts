// Parses style sheets, for the tests of their rules.

export interface Declaration {
  property: string;
  value: string;
}

export interface Rule {
  selectors: string[];
  declarations: Declaration[];
}

/** The rules of a style sheet including those in media queries, without keyframes. */
export function rulesOf(css: string): Rule[] {
  const rules: Rule[] = [];
  const open: { prelude: string; rule: Rule }[] = [];
  let text = '';
  const declare = () => {
    const [property = '', ...value] = text.split(':');
    if (value.length > 0) {
      const declaration = { property: property.trim(), value: value.join(':').trim() };
      open.at(-1)?.rule.declarations.push(declaration);
    }
    text = '';
  };
  for (const char of css.replace(/\/\*[\s\S]*?\*\//g, '')) {
    if (char === '{') {
      const prelude = text.trim();
      open.push({ prelude, rule: { selectors: splitOutsideBrackets(prelude, ','), declarations: [] } });
      text = '';
    } else if (char === '}') {
      declare();
      const { prelude = '', rule } = open.pop() ?? {};
      const inKeyframes = open.some((outer) => outer.prelude.startsWith('@keyframes'));
      if (rule !== undefined && !prelude.startsWith('@') && !inKeyframes) rules.push(rule);
    } else if (char === ';') declare();
    else text += char;
  }
  return rules;
}

/** Splits a text at separators outside of brackets. */
function splitOutsideBrackets(text: string, separators: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const char of text) {
    if ('(['.includes(char)) depth++;
    if (')]'.includes(char)) depth--;
    if (depth === 0 && separators.includes(char)) parts.push('');
    else parts[parts.length - 1] += char;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '');
}

/** The classes of a selector's subject: its rightmost part, without conditions such as :has(). */
export function classesOf(selector: string): string[] {
  const last = splitOutsideBrackets(selector, ' >+~').at(-1) ?? '';
  let depth = 0;
  let own = '';
  for (const char of last) {
    if (char === '(') depth++;
    if (depth === 0) own += char;
    if (char === ')') depth--;
  }
  return [...own.matchAll(/\.([A-Za-z][\w-]*)/g)].map(([, name = '']) => name);
}

/** The literal sizes in a value that have no token, in pixels. */
export function literalSizes(value: string): number[] {
  return splitOutsideBrackets(value, ' ').flatMap((part) => {
    const [, size] = /^-?(\d+(?:\.\d+)?)px$/.exec(part) ?? [];
    return size === undefined || Number(size) === 0 ? [] : [Number(size)];
  });
}
