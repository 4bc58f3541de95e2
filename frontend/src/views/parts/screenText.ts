/**
 * Terminal output as text: what the terminal shows in the end. Colors are kept, overwritten lines show their final
 * content, and everything that only matters to a terminal is removed. Its size isn't known, so nothing wraps, and text
 * before a screen clear stays.
 */

/** Part of a line with uniform style. */
export interface ScreenPiece {
  text: string;
  className: string;
}

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const decorations: Readonly<Record<number, string>> = {
  1: 'bold',
  2: 'dim',
  3: 'italic',
  4: 'underline',
  5: 'blink',
  7: 'reverse',
  9: 'strikethrough',
  21: 'underline',
};
const ends: Readonly<Record<number, readonly string[]>> = {
  22: ['bold', 'dim'],
  23: ['italic'],
  24: ['underline'],
  25: ['blink'],
  27: ['reverse'],
  29: ['strikethrough'],
};

/** No terminal is wider: a cursor moved further stays there. */
const widest = 256;
/** No blanks are inserted in longer lines. */
const longestLine = 4096;
/**
 * Most columns moved or erased in total. More is no useful output and would take long: such sequences are then skipped.
 */
const mostMoved = 20_000_000;
/** Most parameter characters of a sequence. A longer one isn't a terminal sequence. */
const longestSequence = 256;

interface Line {
  /** Text written in order, until something overwrites it. */
  runs: ScreenPiece[];
  length: number;
  cells?: ScreenPiece[] | undefined;
}

const emptyLine = (): Line => ({ runs: [], length: 0 });
const blank: ScreenPiece = { text: ' ', className: '' };
/** Characters that combine with the previous one. */
const joins = /^(?:\p{M}|\u200d|[\ufe00-\ufe0f]|\p{Emoji_Modifier})$/u;
/** Characters two columns wide. */
const wide =
  /^(?:[\u1100-\u115f\u2e80-\u303e\u3041-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}]|(?!\p{Regional_Indicator})\p{Emoji_Presentation})$/u;
/** The characters ` to ~ in the line-drawing character set. */
const drawing = '◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·';
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are searched for
const plain = /[^\u0000-\u001f\u007f-\u009f]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: see above
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export class ScreenText {
  readonly #lines: Line[] = [emptyLine()];
  #row = 0;
  #col = 0;
  /** The next text replaces the whole line, because a carriage return preceded it. */
  #fresh = false;
  #saved: { row: number; col: number } = { row: 0, col: 0 };
  #look = { fg: '', bg: '', on: new Set<string>() };
  #className = '';
  /** An incomplete sequence or character. */
  #held = '';
  /** Inside a text for the terminal only, such as a title, until it ends. */
  #silent = false;
  #moved = 0;
  /** Which of the two character sets is for line drawing, and which is active. */
  #draws = [false, false];
  #set = 0;
  /** The last character, for repeat sequences. */
  #last = '';
  /** The line started when the cursor was moved on the screen after its position was saved. */
  #aside: number | undefined;

  write(text: string): this {
    const all = this.#held + text;
    this.#held = '';
    let at = 0;
    while (at < all.length) {
      const next = this.#silent ? this.#skip(all, at) : this.#step(all, at);
      if (next < 0) {
        this.#held = all.slice(at);
        break;
      }
      at = next;
    }
    return this;
  }

  /** Processes what starts at the position and returns its end; negative if more input is needed. */
  #step(text: string, at: number): number {
    plain.lastIndex = at;
    const run = plain.exec(text)?.[0];
    if (run !== undefined) {
      const half = at + run.length === text.length && /[\ud800-\udbff]$/.test(run);
      const whole = half ? run.slice(0, -1) : run;
      if (whole !== '') this.#print(whole);
      return whole === '' ? -1 : at + whole.length;
    }
    const char = text.charAt(at);
    switch (char) {
      case '\n':
      case '\v':
      case '\f':
      case '\u0085':
        this.#newLine();
        break;
      case '\r':
        this.#moveTo(this.#row, 0);
        this.#fresh = true;
        break;
      case '\b':
        this.#moveTo(this.#row, this.#col - 1);
        break;
      case '\t':
        this.#print(char);
        break;
      case '\u000e':
      case '\u000f':
        this.#set = char === '\u000e' ? 1 : 0;
        break;
      case '\u001b':
        return this.#escape(text, at);
      case '\u009b':
        return this.#control(text, at, at + 1);
      case '\u0090':
      case '\u0098':
      case '\u009d':
      case '\u009e':
      case '\u009f':
        this.#silent = true;
    }
    return at + 1;
  }

  #escape(text: string, at: number): number {
    const kind = text.charAt(at + 1);
    if (kind === '') return -1;
    if (kind === '[') return this.#control(text, at, at + 2);
    if (/[\]PX^_]/.test(kind)) {
      this.#silent = true;
      return at + 2;
    }
    let end = at + 1;
    while (/[ -/]/.test(text.charAt(end)) && end - at < longestSequence) end++;
    if (end === text.length) return -1;
    // Something else starts here, so it wasn't a sequence.
    if (!/[0-~]/.test(text.charAt(end))) return end;
    if (end === at + 1) this.#single(kind);
    else if (kind === '(' || kind === ')') this.#draws[kind === '(' ? 0 : 1] = text.charAt(end) === '0';
    return end + 1;
  }

  #single(kind: string): void {
    if (kind === '7') {
      this.#saved = { row: this.#row, col: this.#col };
      this.#aside = undefined;
    } else if (kind === '8') {
      // A progress line below all others is replaced by the next one.
      if (this.#aside !== undefined) this.#lines.splice(Math.max(this.#aside, this.#saved.row + 1));
      this.#moveTo(this.#saved.row, this.#saved.col);
      if (this.#aside === this.#row) cut(this.#line(), this.#col);
      this.#aside = undefined;
    } else if (kind === 'D' || kind === 'E') this.#newLine(kind === 'E' ? 0 : this.#col);
    else if (kind === 'M') this.#moveTo(this.#row - 1, this.#col);
    else if (kind === 'c') {
      this.#setStyle('0');
      this.#draws = [false, false];
      this.#set = 0;
      this.#apart();
    }
  }

  #control(text: string, at: number, from: number): number {
    let end = from;
    while (/[ -?]/.test(text.charAt(end)) && end - from < longestSequence) end++;
    if (end === text.length) return -1;
    const final = text.charAt(end);
    if (!/[@-~]/.test(final)) return end;
    const given = text.slice(from, end);
    if (/^[\d;:]*$/.test(given)) this.#obey(final, given);
    return Math.max(end + 1, at + 1);
  }

  #obey(final: string, given: string): void {
    const n = Number.parseInt(given, 10) || 0;
    const count = Math.max(1, n);
    const line = this.#line();
    if (final !== 'm') this.#fresh = false;
    switch (final) {
      case 'm':
        this.#setStyle(given);
        break;
      case 'A':
      case 'F':
        this.#moveTo(this.#row - count, final === 'F' ? 0 : this.#col);
        break;
      case 'B':
      case 'E':
      case 'e':
        this.#moveTo(Math.min(this.#row + count, this.#lines.length - 1), final === 'E' ? 0 : this.#col);
        break;
      case 'C':
      case 'a':
        this.#moveTo(this.#row, this.#col + count);
        break;
      case 'D':
        this.#moveTo(this.#row, this.#col - count);
        break;
      case 'G':
      case '`':
        this.#moveTo(this.#row, count - 1);
        break;
      case 'K':
        if (n === 0) cut(line, this.#col);
        else if (n === 2) this.#lines[this.#row] = emptyLine();
        else if (n === 1) this.#erase(0, Math.min(this.#col + 1, line.length));
        break;
      case 'J':
        if (n > 1) this.#apart();
        if (n !== 0) break;
        cut(line, this.#col);
        this.#lines.length = this.#row + 1;
        break;
      case 'H':
      case 'f':
      case 'd':
        this.#apart();
        break;
      case 'L':
        if (this.#moves(this.#lines.length))
          this.#lines.splice(this.#row, 0, ...Array.from({ length: Math.min(count, widest) }, emptyLine));
        this.#col = 0;
        break;
      case 'M':
        if (this.#moves(this.#lines.length)) this.#lines.splice(this.#row, count);
        if (this.#row === this.#lines.length) this.#lines.push(emptyLine());
        this.#col = 0;
        break;
      case 'b': {
        const times = this.#last === '' ? 0 : Math.min(count, widest);
        if (this.#moves(times)) for (let i = 0; i < times; i++) this.#put(line, this.#last, this.#className);
        break;
      }
      case 'X':
        this.#erase(this.#col, this.#col + count);
        break;
      case 'P':
        if (this.#col < line.length && this.#moves(line.length)) {
          const cells = cellsOf(line);
          split(cells, this.#col);
          split(cells, this.#col + count);
          cells.splice(this.#col, count);
          line.length = cells.length;
        }
        break;
      case '@':
        if (this.#col < line.length && line.length < longestLine && this.#moves(line.length)) {
          const cells = cellsOf(line);
          split(cells, this.#col);
          cells.splice(this.#col, 0, ...Array.from({ length: Math.min(count, widest) }, () => blank));
          line.length = cells.length;
        }
        break;
      case 's':
        this.#single('7');
        break;
      case 'u':
        this.#single('8');
    }
  }

  /**
   * Skips a text that isn't shown. It ends at the end of its line at the latest, so that no output is lost if its
   * terminator is missing.
   */
  #skip(text: string, at: number): number {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these end it
    const found = /[\u0007\n\u0018\u001a\u001b\u009c]/.exec(text.slice(at));
    if (found === null) return text.length;
    const end = at + found.index;
    if (found[0] === '\u001b') {
      if (end + 1 === text.length) {
        // The next character may terminate it.
        return end > at ? end : -1;
      }
      this.#silent = false;
      return text.charAt(end + 1) === '\\' ? end + 2 : end;
    }
    this.#silent = false;
    return found[0] === '\n' ? end : end + 1;
  }

  #line(): Line {
    const line = this.#lines[this.#row];
    if (line !== undefined) return line;
    const made = emptyLine();
    this.#lines[this.#row] = made;
    return made;
  }

  #moveTo(row: number, col: number): void {
    this.#fresh = false;
    this.#row = Math.max(0, Math.min(row, this.#lines.length - 1));
    this.#col = Math.max(0, Math.min(col, Math.max(widest, this.#line().length)));
  }

  /** Positions on the screen are unknown: what follows is a new line below all others. */
  #apart(): void {
    const last = this.#lines.length - 1;
    const empty = this.#lines[last]?.length === 0;
    if (!empty) this.#lines.push(emptyLine());
    this.#row = empty ? last : last + 1;
    this.#col = 0;
    this.#aside ??= this.#row;
  }

  #newLine(col = 0): void {
    this.#fresh = false;
    this.#row++;
    if (this.#row === this.#lines.length) this.#lines.push(emptyLine());
    this.#col = Math.min(col, widest);
  }

  #print(text: string): void {
    if (this.#fresh) {
      this.#lines[this.#row] = emptyLine();
      this.#fresh = false;
    }
    const line = this.#line();
    const className = this.#className;
    const shown = this.#draws[this.#set] === true ? text.replace(/[`-~]/g, drawn) : text;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a tab is excluded
    const ascii = /^[\u0000-\u0008\u000a-\u007f]*$/.test(shown);
    if (this.#col > line.length) this.#erase(line.length, this.#col);
    if (line.cells === undefined && this.#col === line.length && ascii) {
      append(line, shown, className);
      line.length += shown.length;
      this.#col = line.length;
      this.#last = shown.slice(-1);
      return;
    }
    for (const char of ascii ? shown : Array.from(shown)) this.#put(line, char, className);
  }

  #put(line: Line, char: string, className: string): void {
    if (this.#col > 0 && joins.test(char)) {
      const cells = cellsOf(line);
      const at = headOf(cells, this.#col - 1);
      const before = cells[at];
      if (before !== undefined) {
        cells[at] = { ...before, text: before.text + char };
        return;
      }
    }
    if (this.#col > line.length) this.#erase(line.length, this.#col);
    const columns = columnsOf(char, this.#col);
    // A tab skips existing text.
    const goes = char === '\t' && this.#col < line.length;
    if (!goes && line.cells === undefined && this.#col === line.length) append(line, char, className);
    else if (!goes) {
      const cells = cellsOf(line);
      split(cells, this.#col);
      split(cells, this.#col + columns);
      for (let i = 0; i < columns; i++) cells[this.#col + i] = { text: i === 0 ? char : '', className };
    }
    this.#col += columns;
    if (!goes) line.length = Math.max(line.length, this.#col);
    this.#last = char;
  }

  /** Blanks a range of columns. */
  #erase(from: number, to: number): void {
    const line = this.#line();
    const end = Math.min(to, Math.max(widest, line.length));
    if (from < line.length && !this.#moves(end - from)) return;
    const cells = cellsOf(line);
    split(cells, from);
    split(cells, end);
    for (let i = Math.min(from, cells.length); i < end; i++) cells[i] = blank;
    line.length = cells.length;
  }

  /** Reports whether so many columns may be moved or erased. */
  #moves(columns: number): boolean {
    this.#moved += columns;
    return this.#moved <= mostMoved;
  }

  #setStyle(given: string): void {
    const look = this.#look;
    const parts = given.split(';');
    for (let i = 0; i < parts.length; i++) {
      const [code = '', ...sub] = (parts[i] ?? '').split(':');
      const n = Number(code);
      if (n === 0) this.#look = Object.assign(look, { fg: '', bg: '', on: new Set<string>() });
      else if (n === 38 || n === 48 || n === 58) {
        // The color is within the parameter, or in the following ones.
        const form = sub.length > 0 ? sub : parts.slice(i + 1, i + 3);
        if (sub.length === 0) i += form[0] === '2' ? 4 : form[0] === '5' ? 2 : 0;
        const name = form[0] === '5' ? nameOf(Number(form[1])) : '';
        if (n === 38) look.fg = name;
        else if (n === 48) look.bg = name;
      } else if (n === 39) look.fg = '';
      else if (n === 49) look.bg = '';
      else if (n >= 30 && n <= 37) look.fg = nameOf(n - 30);
      else if (n >= 40 && n <= 47) look.bg = nameOf(n - 40);
      else if (n >= 90 && n <= 97) look.fg = nameOf(n - 90);
      else if (n >= 100 && n <= 107) look.bg = nameOf(n - 100);
      else if (n === 4 && sub[0] === '0') look.on.delete('underline');
      else if (decorations[n] !== undefined) look.on.add(decorations[n]);
      for (const one of ends[n] ?? []) look.on.delete(one);
    }
    const [fg, bg] = look.on.has('reverse') ? [look.bg, look.fg] : [look.fg, look.bg];
    const classes = [fg, bg === '' ? '' : `on-${bg}`, ...[...look.on].map((one) => `ansi-${one}`)];
    this.#className = classes.filter((one) => one !== '').join(' ');
  }

  /** Returns everything shown, as pieces of uniform style. */
  pieces(): ScreenPiece[] {
    const pieces: ScreenPiece[] = [];
    const add = ({ text, className }: ScreenPiece) => {
      const last = pieces.at(-1);
      if (last?.className === className) last.text += text;
      else pieces.push({ text, className });
    };
    for (const [i, line] of this.#lines.entries()) {
      if (i > 0) add({ text: '\n', className: pieces.at(-1)?.className ?? '' });
      for (const piece of line.cells ?? line.runs) add(piece);
    }
    return pieces.filter(({ text }) => text !== '');
  }
}

/** Of 256 colors only the first 16 have names, and bright ones are treated like the others. */
function nameOf(n: number): string {
  const name = names[n >= 8 && n < 16 ? n - 8 : n];
  return name === undefined ? '' : `ansi-${name}`;
}

function append(line: Line, text: string, className: string): void {
  const last = line.runs.at(-1);
  if (last?.className === className) last.text += text;
  else line.runs.push({ text, className });
}

function cellsOf(line: Line): ScreenPiece[] {
  if (line.cells !== undefined) return line.cells;
  const cells: ScreenPiece[] = [];
  for (const { text, className } of line.runs)
    for (const char of Array.from(text)) {
      const before = joins.test(char) ? cells[headOf(cells, cells.length - 1)] : undefined;
      if (before !== undefined) {
        before.text += char;
        continue;
      }
      const columns = columnsOf(char, cells.length);
      cells.push({ text: char, className });
      for (let i = 1; i < columns; i++) cells.push({ text: '', className });
    }
  line.runs = [];
  line.cells = cells;
  return cells;
}

/** Width of a character at a column. */
function columnsOf(char: string, at: number): number {
  if (char === '\t') return 8 - (at % 8);
  return char > '\u1100' && wide.test(char) ? 2 : 1;
}

/** Start of the character that covers a column. */
function headOf(cells: readonly ScreenPiece[], at: number): number {
  let head = at;
  while (head > 0 && cells[head]?.text === '') head--;
  return head;
}

/** Blanks a wide character that would be split at a column. */
function split(cells: ScreenPiece[], at: number): void {
  if (cells[at]?.text !== '') return;
  let i = headOf(cells, at);
  do cells[i++] = blank;
  while (cells[i]?.text === '');
}

function drawn(letter: string): string {
  return drawing.charAt(letter.charCodeAt(0) - 96);
}

function cut(line: Line, at: number): void {
  if (at >= line.length) return;
  const cells = cellsOf(line);
  split(cells, at);
  cells.length = at;
  line.length = at;
}

/** Returns what a terminal shows for an output. */
export function screenPieces(text: string): ScreenPiece[] {
  if (text === '') return [];
  return controls.test(text) ? new ScreenText().write(text).pieces() : [{ text, className: '' }];
}

/** The same without colors. */
export function screenText(text: string): string {
  return screenPieces(text)
    .map((piece) => piece.text)
    .join('');
}
