/**
 * The output of a terminal as text: what it shows once all has been written. Colors are kept, lines that were written over show what is there in the end,
 * and what means something only to a terminal goes. Its size isn't known, so nothing wraps, and what was on a screen before it was cleared stays.
 */

/** A stretch of a line in one look. */
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

/** No terminal is wider: a cursor that is moved further stays there. */
const widest = 256;
/** In a longer line no blanks are inserted. */
const longestLine = 4096;
/** How many columns are moved or erased in all. More is no output that anyone would see, and would take long: then such a sequence is passed over. */
const mostMoved = 20_000_000;
/** Parameters of a sequence that are read. A longer one is no sequence of a terminal's. */
const longestSequence = 256;

interface Line {
  /** What was written behind each other, until something is written over it. */
  runs: ScreenPiece[];
  length: number;
  cells?: ScreenPiece[] | undefined;
}

const emptyLine = (): Line => ({ runs: [], length: 0 });
const blank: ScreenPiece = { text: ' ', className: '' };
/** What is drawn onto the letter before it. */
const joins = /^(?:\p{M}|\u200d|[\ufe00-\ufe0f])$/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: controls are what is looked for
const plain = /[^\u0000-\u001f\u007f-\u009f]+/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: as above
const controls = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/;

export class ScreenText {
  readonly #lines: Line[] = [emptyLine()];
  #row = 0;
  #col = 0;
  /** What is written next takes the place of the whole line: a carriage return came before it. */
  #fresh = false;
  #saved: { row: number; col: number } = { row: 0, col: 0 };
  #look = { fg: '', bg: '', on: new Set<string>() };
  #className = '';
  /** What has come of a sequence, or of a letter that is in two pieces. */
  #held = '';
  /** Within a text that is for the terminal only, such as a title: until its end. */
  #silent = false;
  #moved = 0;

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

  /** Takes what begins at the place, and returns where that ends; less than 0: more has to come. */
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
    // Something else begins here: the sequence was none.
    if (!/[0-~]/.test(text.charAt(end))) return end;
    if (end === at + 1) this.#single(kind);
    return end + 1;
  }

  #single(kind: string): void {
    if (kind === '7') this.#saved = { row: this.#row, col: this.#col };
    else if (kind === '8') this.#moveTo(this.#saved.row, this.#saved.col);
    else if (kind === 'D' || kind === 'E') this.#newLine(kind === 'E' ? 0 : this.#col);
    else if (kind === 'M') this.#moveTo(this.#row - 1, this.#col);
    else if (kind === 'c') this.#setStyle('0');
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
        if (n !== 0) break;
        cut(line, this.#col);
        this.#lines.length = this.#row + 1;
        break;
      case 'X':
        this.#erase(this.#col, this.#col + count);
        break;
      case 'P':
        if (this.#col < line.length && this.#moves(line.length)) {
          const cells = cellsOf(line);
          cells.splice(this.#col, count);
          line.length = cells.length;
        }
        break;
      case '@':
        if (this.#col < line.length && line.length < longestLine && this.#moves(line.length)) {
          const cells = cellsOf(line);
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

  /** Passes over a text that isn't shown. It ends at the latest with its line, so that no output is lost for the want of an end. */
  #skip(text: string, at: number): number {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these end it
    const found = /[\u0007\n\u0018\u001a\u001b\u009c]/.exec(text.slice(at));
    if (found === null) return text.length;
    const end = at + found.index;
    if (found[0] === '\u001b') {
      if (end + 1 === text.length) {
        // Its end may be the next.
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
    // biome-ignore lint/suspicious/noControlCharactersInRegex: a tab is a character here
    const ascii = /^[\u0000-\u007f]*$/.test(text);
    if (this.#col > line.length) this.#erase(line.length, this.#col);
    if (line.cells === undefined && this.#col === line.length && ascii) {
      append(line, text, className);
      line.length += text.length;
      this.#col = line.length;
      return;
    }
    for (const char of ascii ? text : Array.from(text)) {
      if (this.#col > 0 && joins.test(char)) {
        const cells = cellsOf(line);
        const before = cells[this.#col - 1];
        if (before !== undefined) {
          cells[this.#col - 1] = { ...before, text: before.text + char };
          continue;
        }
      }
      if (line.cells === undefined && this.#col === line.length) append(line, char, className);
      else cellsOf(line)[this.#col] = { text: char, className };
      this.#col++;
      line.length = Math.max(line.length, this.#col);
    }
  }

  /** Blanks from one column to another. */
  #erase(from: number, to: number): void {
    const line = this.#line();
    const end = Math.min(to, Math.max(widest, line.length));
    if (from < line.length && !this.#moves(end - from)) return;
    const cells = cellsOf(line);
    for (let i = from; i < end; i++) cells[i] = blank;
    line.length = cells.length;
  }

  /** Whether so many columns may be moved or erased. */
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
        // The color is within the part, or in those behind it.
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

  /** All that it shows, in pieces of one look each. */
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

/** Of 256 colors only the first 16 have names, and bright ones are the same as the others here. */
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
  line.cells ??= line.runs.flatMap(({ text, className }) => {
    const cells: ScreenPiece[] = [];
    for (const char of Array.from(text)) {
      const before = cells.at(-1);
      if (before !== undefined && joins.test(char)) before.text += char;
      else cells.push({ text: char, className });
    }
    return cells;
  });
  line.runs = [];
  return line.cells;
}

function cut(line: Line, at: number): void {
  if (at >= line.length) return;
  const cells = cellsOf(line);
  cells.length = at;
  line.length = at;
}

/** What a terminal shows of an output. */
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
