/** A long answer of the kind that agents give: prose, lists, code, tables, all mixed. The same every time. */
import { Random } from '../src/markdown/testing/random';

const WORDS =
  'the agent reads a file and then changes the function so that each event is stored before it is shown and nothing is lost when the window closes while text streams in order from several processes'.split(
    ' ',
  );
const CODE: Readonly<Record<string, readonly string[]>> = {
  ts: [
    'export function fold(state: State, event: Event): State {',
    '  const last = state.segments.at(-1);',
    "  if (event.type === 'text_delta' && last?.type === 'text') {",
    '    // the same segment grows',
    '    return { ...state, text: last.text + event.content, seq: 42 };',
    '  }',
    '}',
  ],
  go: [
    'func (j *Journal) Append(ctx context.Context, e Event) error {',
    '\tj.mu.Lock()',
    '\tdefer j.mu.Unlock()',
    '\tif e.Seq != j.next { // a gap',
    '\t\treturn fmt.Errorf("seq %d, want %d", e.Seq, j.next)',
    '\t}',
    '}',
  ],
  python: [
    'def walk(root: Path) -> Iterator[str]:',
    '    """Every file."""',
    "    yield from (p.name for p in root.rglob('*') if p.is_file())",
  ],
  bash: ['for f in *.go; do', '  gofmt -l "$f" | tee -a out.txt  # list', 'done'],
};

export function longAnswer(length: number, seed = 7): string {
  const random = new Random(seed);
  let text = '# A long answer\n\n';
  while (text.length < length) text += part(random);
  return text.slice(0, length);
}

function part(random: Random): string {
  switch (random.below(9)) {
    case 0:
      return `## ${sentence(random, 5)}\n\n`;
    case 1:
      return `${list(random, '- ', 3 + random.below(8))}\n`;
    case 2:
      return `${list(random, '1. ', 3 + random.below(6))}\n`;
    case 3:
    case 4:
      return code(random);
    case 5:
      return table(random);
    case 6:
      return `> ${sentence(random, 30)}\n\n`;
    default:
      return `${paragraph(random)}\n\n`;
  }
}

function sentence(random: Random, words: number): string {
  let text = '';
  for (let i = 0; i < words; i++) {
    const word = random.pick(WORDS);
    const style = random.below(24);
    text += `${i > 0 ? ' ' : ''}${style === 0 ? `**${word}**` : style === 1 ? `\`${word}()\`` : style === 2 ? `*${word}*` : style === 3 ? `[${word}](https://example.com/${word})` : word}`;
  }
  return text;
}

function paragraph(random: Random): string {
  let text = '';
  for (let i = 1 + random.below(6); i > 0; i--) text += `${sentence(random, 8 + random.below(14))}. `;
  return text.trimEnd();
}

function list(random: Random, marker: string, items: number): string {
  let text = '';
  for (let i = 0; i < items; i++) {
    text += `${marker}${random.below(6) === 0 ? '[x] ' : ''}${sentence(random, 6 + random.below(14))}\n`;
    if (random.below(5) === 0) text += `${' '.repeat(marker.length)}- ${sentence(random, 6)}\n`;
  }
  return text;
}

function code(random: Random): string {
  const language = random.pick(Object.keys(CODE));
  const lines = CODE[language] ?? [];
  let text = `\`\`\`${language}\n`;
  for (let i = 1 + random.below(random.below(20) === 0 ? 40 : 6); i > 0; i--) text += `${lines.join('\n')}\n`;
  return `${text}\`\`\`\n\n`;
}

function table(random: Random): string {
  const columns = 2 + random.below(4);
  const row = () => `| ${Array.from({ length: columns }, () => sentence(random, 3)).join(' | ')} |\n`;
  let text = `${row()}|${' --- |'.repeat(columns)}\n`;
  for (let i = 2 + random.below(12); i > 0; i--) text += row();
  return `${text}\n`;
}
