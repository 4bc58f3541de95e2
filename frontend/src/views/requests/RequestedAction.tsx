import { CircleHelp, FolderOpen, GitBranch, ShieldAlert, TriangleAlert } from 'lucide-react';
import { createContext, Fragment, use } from 'react';
import { t } from '../../i18n';
import { joinFacts } from '../../i18n/formats';
import { Sentence, withSlots } from '../../i18n/Sentence';
import type { Argument, Reading, Run, Target } from '../../transcript/types';
import { isDeceptive, isDeceptiveLine } from '../parts/exact';
import { PlaceLink } from '../places/PlaceLink';
import { quoted } from '../tools/input';
import { Piece } from '../tools/Piece';
import { useShortPath } from '../tools/usePath';
import { useReading } from '../transcript/reading';
import { Change } from './Change';
import { ExactText, Marked } from './ExactText';
import { isSystemShell } from './readingOf';
import type { Request } from './useRequest';

/**
 * What a request would do: arguments that raise privileges, the commands and their folder, the files, and all other
 * arguments.
 */
export function RequestedAction({ request, all }: { request: Request; all: boolean }) {
  const { reading, diffs, attached, named, loading, failed } = request;
  const {
    commands = [],
    raises = [],
    env = [],
    files = [],
    other = [],
    misfits = [],
    folder = '',
    outside = false,
  } = reading;
  const short = useShortPath();
  const strange = isDeceptiveRequest(request);
  // If nothing else says what would be done, the arguments do.
  const bare = commands.length + files.length + diffs.length === 0;
  const acts = { 'data-acts': strange ? 'whole' : '' };
  // A call may name a file in two ways.
  const drawn = new Set(diffs.map(({ path = '' }) => short(path)));
  // A file with a visible diff is listed only if its target is unusual.
  const told = files.filter((file) => !drawn.has(short(file.path)) || isSpecial(file));
  return (
    <ActsContext value={acts}>
      {raises.map((one, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: names may be repeated
        <Privileges key={i} argument={one} all={all} />
      ))}
      {strange && <Warning icon={<TriangleAlert size={14} aria-hidden />}>{t('request.deceptive')}</Warning>}
      {commands.map((run, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <Command key={i} run={run} all={all} />
      ))}
      {named.length > 0 && <Named texts={named} alone={isBare(request)} all={all} />}
      {folder !== '' && <Folder folder={folder} outside={outside} />}
      {env.length > 0 && <Values title={t('request.env')} values={env} all={all} acts />}
      {told.length > 0 && <Files files={told} />}
      {diffs.map((content, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <Change key={i} content={content} all={all} />
      ))}
      {misfits.length > 0 && <Misfits files={misfits} />}
      {other.length > 0 && (
        <Values title={t('request.arguments')} values={other} all={all} acts={bare || strange} />
      )}
      {attached.map((content, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <Piece key={i} content={content} textTitle={t('request.attached')} />
      ))}
      {loading && (
        <p className="quiet-text delayed" data-loads="" data-acts="">
          {t('loading')}
        </p>
      )}
      {failed && (
        <p className="field-error" data-chars={1} data-lines={1} data-shut="" data-acts="">
          {t('tool.blobFailed')}
        </p>
      )}
      {!loading && !failed && named.length === 0 && isBare(request) && (
        <p className="quiet-text">{t('request.nothing')}</p>
      )}
    </ActsContext>
  );
}

/** Marks text that must be seen before allowing: see seen.ts. */
const ActsContext = createContext<{ 'data-acts'?: string }>({});

function isSpecial({ real, outside, git }: Target): boolean {
  return (real ?? '') !== '' || outside === true || git === true;
}

function isBare({ reading, diffs, attached }: Request): boolean {
  const { commands = [], raises = [], env = [], files = [], other = [] } = reading;
  return [commands, raises, env, files, other, diffs, attached].every(({ length }) => length === 0);
}

/** Reports whether anything that must be seen contains deceptive characters. */
function isDeceptiveRequest({ reading, diffs, named }: Request): boolean {
  const { commands = [], raises = [], env = [], files = [], other = [], folder = '' } = reading;
  const exact = [...commands.map(({ line }) => line), ...[...raises, ...env].map(({ value }) => value)];
  const oneLine = [
    folder,
    ...commands.map(({ shell = '' }) => shell),
    ...files.flatMap(({ path, real = '' }) => [path, real]),
    ...[...raises, ...env, ...other].map(({ name }) => name),
    ...diffs.map(({ path = '' }) => path),
    ...named,
  ];
  // Other arguments are mostly prose, in which typography is not deceptive.
  return (
    exact.some((text) => isDeceptive(text)) ||
    oneLine.some((text) => isDeceptiveLine(text)) ||
    other.some(({ value }) => isDeceptive(value.slice(0, 10_000), true))
  );
}

function Warning({ icon, children }: { icon: React.ReactNode; children: React.ReactNode }) {
  return (
    <p className="request-warning">
      {icon}
      <span>{children}</span>
    </p>
  );
}

function Privileges({ argument: { name, value }, all }: { argument: Argument; all: boolean }) {
  const acts = use(ActsContext);
  return (
    <Warning icon={<ShieldAlert size={14} aria-hidden />}>
      <Sentence
        text={withSlots((slot) => t('request.raises', { argument: slot('argument') }))}
        slots={{
          argument: (
            <code className="mono" {...acts}>
              <ExactText text={`${name}: ${value}`} all={all} />
            </code>
          ),
        }}
      />
    </Warning>
  );
}

/** One command: its line, the shell, and the programs that it runs. */
function Command({
  run: { line, shell = '', stdin = '', args, runs = [] },
  all,
}: {
  run: Run;
  all: boolean;
}) {
  const acts = use(ActsContext);
  const strange = shell !== '' && !isSystemShell(shell);
  const first = line.trim().split(/\s/)[0] ?? '';
  const starts = runs.length > 1 || (runs.length === 1 && runs[0] !== first) ? runs : [];
  return (
    <div className="request-command">
      <pre className="request-line mono" {...acts}>
        {strange && (
          <span className="request-deceptive">
            <ExactText text={shell} all={all} sign="$" />{' '}
          </span>
        )}
        <ExactText text={strange ? quoted(line) : line} all={all} sign={strange ? '' : '$'} />
      </pre>
      {(shell !== '' || args === undefined || starts.length > 0) && (
        <p className="request-by">
          {shell !== '' ? (
            <span className="request-shell" data-strange={strange || undefined}>
              {strange && <TriangleAlert size={13} aria-hidden />}
              <span>
                <Sentence
                  text={withSlots((slot) =>
                    t(strange ? 'request.readByStrange' : 'request.readBy', { shell: slot('shell') }),
                  )}
                  slots={{
                    shell: (
                      <code className="mono">
                        <ExactText text={shell} all={all} />
                      </code>
                    ),
                  }}
                />
              </span>
            </span>
          ) : (
            args === undefined && <span>{t('request.agentShell')}</span>
          )}
          {starts.length > 0 && (
            <span>
              <Sentence
                text={withSlots((slot) =>
                  t('request.starts', { programs: joinFacts(starts.map((_, i) => slot(`p${i}`))) }),
                )}
                slots={Object.fromEntries(
                  starts.map((program, i) => [
                    `p${i}`,
                    // biome-ignore lint/suspicious/noArrayIndexKey: programs may be repeated
                    <code key={`p${i}`} className="mono">
                      <Marked text={program} />
                    </code>,
                  ]),
                )}
              />
            </span>
          )}
        </p>
      )}
      {stdin !== '' && (
        <div className="request-stdin">
          <p className="detail-title">{t('request.stdin')}</p>
          <pre className="mono" {...acts}>
            <ExactText text={stdin} all={all} />
          </pre>
        </div>
      )}
    </div>
  );
}

/** The agent's description, if Weft can't say more. */
function Named({ texts, alone, all }: { texts: readonly string[]; alone: boolean; all: boolean }) {
  const acts = use(ActsContext);
  return (
    <div className="request-named">
      <p className="detail-title">{t(alone ? 'request.onlyNamed' : 'request.named')}</p>
      {texts.map((text, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <pre key={i} className="request-line mono" {...acts}>
          <ExactText text={text} all={all} />
        </pre>
      ))}
    </div>
  );
}

function Folder({ folder, outside }: { folder: string; outside: boolean }) {
  const path = useShortPath();
  return (
    <p className="request-fact" data-warns={outside || undefined} {...use(ActsContext)}>
      <FolderOpen size={14} aria-hidden />
      <span>
        <Sentence
          text={withSlots((slot) => t('request.folder', { folder: slot('folder') }))}
          slots={{
            folder: (
              <code className="mono" data-chars={folder.length} data-lines={1}>
                <Marked text={outside ? folder : path(folder)} />
              </code>
            ),
          }}
        />
        {outside && <strong> {t('request.outsideFolder')}</strong>}
      </span>
    </p>
  );
}

function Files({ files }: { files: readonly Target[] }) {
  const path = useShortPath();
  const acts = use(ActsContext);
  return (
    <ul className="request-files" aria-label={t('request.files')}>
      {files.map((file, i) => (
        <li
          // biome-ignore lint/suspicious/noArrayIndexKey: files may be repeated
          key={i}
          className="request-fact"
          data-warns={isSpecial(file) || undefined}
          {...((isSpecial(file) || acts['data-acts'] === 'whole') && acts)}
        >
          <span>
            <span className="request-verb">{t(file.write ? 'request.writes' : 'request.reads')}</span>{' '}
            <Path file={file} shown={file.outside ? file.path : path(file.path)} />
            {(file.real ?? '') !== '' && (
              <>
                {' '}
                <Sentence
                  text={withSlots((slot) => t('request.leadsTo', { path: slot('path') }))}
                  slots={{
                    path: (
                      <code className="mono" data-chars={file.real?.length}>
                        <Marked text={file.real ?? ''} />
                      </code>
                    ),
                  }}
                />
              </>
            )}
            {file.outside && <strong> {t('request.outsideFile')}</strong>}
            {file.git && (
              <strong className="request-git">
                <GitBranch size={12} aria-hidden /> {t('request.git')}
              </strong>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The path of a file, which opens it if Weft may show it. */
function Path({ file, shown }: { file: Target; shown: string }) {
  const { session } = useReading();
  const text = (
    <code className="mono" data-chars={file.path.length} data-lines={1}>
      <Marked text={shown} />
    </code>
  );
  if (file.outside) return text;
  return (
    <PlaceLink spaceId={session.spaceId} path={file.path}>
      {text}
    </PlaceLink>
  );
}

/** Explains that a patch has no diff because it doesn't fit the file. */
function Misfits({ files }: { files: readonly string[] }) {
  const path = useShortPath();
  return (
    <Warning icon={<TriangleAlert size={14} aria-hidden />}>
      {t('request.misfits')}{' '}
      {files.map((file, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the list is replaced as a whole
        <Fragment key={i}>
          {i > 0 && ', '}
          <code className="mono">
            <Marked text={path(file)} />
          </code>
        </Fragment>
      ))}
    </Warning>
  );
}

/** Names and values, as sent by the agent. */
function Values({
  title,
  values,
  all,
  acts,
}: {
  title: string;
  values: readonly Argument[];
  all: boolean;
  acts: boolean;
}) {
  const marks = use(ActsContext);
  return (
    <div className="request-values">
      <p className="detail-title">{title}</p>
      <dl>
        {values.map(({ name, value }, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: names may be repeated
          <div key={i}>
            <dt className="mono">
              <Marked text={name} />
            </dt>
            <dd className="mono" {...(acts && marks)}>
              <ExactText text={value} all={all} />
            </dd>
          </div>
        ))}
      </dl>
    </div>
  );
}

const unclear = [
  'syntax',
  'long',
  'outside',
  'raises',
  'arguments',
  'dynamic',
  'form',
  'setting',
  'package',
  'repository',
] as const;

/** Why no rule can decide about it. */
export function Unclear({ reading }: { reading: Reading }) {
  const code = reading.unclear ?? '';
  if (code === '') return null;
  const known = unclear.find((one) => one === code);
  return (
    <p className="request-unclear">
      <CircleHelp size={13} aria-hidden />
      <span>{known === undefined ? t('request.unclear') : t(`rule.unclear.${known}`)}</span>
    </p>
  );
}
