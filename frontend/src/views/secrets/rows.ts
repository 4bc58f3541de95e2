import type { SecretInput } from '../../transport/api';

/** A variable or header in a form. */
export interface Row {
  key: number;
  name: string;
  value: string;
  secret: boolean;
  /** Reference to the stored secret, which is kept until another value is typed. */
  ref: string;
}

let last = 0;

export function emptyRow(): Row {
  return { key: ++last, name: '', value: '', secret: false, ref: '' };
}

export function rowsOf(
  plain: Readonly<Record<string, string>> | null,
  secrets: Readonly<Record<string, string>> | null,
): Row[] {
  return [
    ...Object.entries(plain ?? {}).map(([name, value]) => ({ ...emptyRow(), name, value })),
    ...Object.entries(secrets ?? {}).map(([name, ref]) => ({ ...emptyRow(), name, ref, secret: true })),
  ];
}

export interface Values {
  plain: Record<string, string>;
  secrets: Record<string, SecretInput>;
  /** An error in the rows, or null. */
  wrong: { why: 'name' | 'twice' | 'value'; name: string } | null;
}

/** The values of the rows. Rows without a name and a value are ignored. */
export function valuesOf(rows: readonly Row[], kind: 'variable' | 'header'): Values {
  const out: Values = { plain: {}, secrets: {}, wrong: null };
  const seen = new Set<string>();
  for (const row of rows) {
    const name = row.name.trim();
    if (name === '' && row.value === '' && row.ref === '') continue;
    const form = kind === 'variable' ? /^[A-Za-z_][A-Za-z0-9_]*$/ : /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
    const same = kind === 'header' ? name.toLowerCase() : name;
    if (!form.test(name)) out.wrong ??= { why: 'name', name };
    else if (seen.has(same)) out.wrong ??= { why: 'twice', name };
    else if (row.secret && row.value === '' && row.ref === '') out.wrong ??= { why: 'value', name };
    seen.add(same);
    if (!row.secret) out.plain[name] = row.value;
    else if (row.value !== '') out.secrets[name] = { value: row.value };
    else out.secrets[name] = { ref: row.ref };
  }
  return out;
}

/** Parses pasted lines of NAME=value or Name: value; null for anything else. */
export function pastedRows(text: string): Row[] | null {
  const found: Row[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === '') continue;
    const parts = /^\s*(?:export\s+)?([A-Za-z_][\w-]*)\s*[=:]\s*(.*?)\s*$/.exec(line);
    if (parts === null) return null;
    const value = (parts[2] ?? '').replace(/^(["'])(.*)\1$/, '$2');
    found.push({ ...emptyRow(), name: parts[1] ?? '', value, secret: looksSecret(parts[1] ?? '') });
  }
  return found.length > 0 ? found : null;
}

/** Reports whether a value of that name usually is a secret. */
export function looksSecret(name: string): boolean {
  return /token|secret|passw|api[-_]?key|[-_]key$|^key$|auth|credential|cookie/i.test(name);
}
