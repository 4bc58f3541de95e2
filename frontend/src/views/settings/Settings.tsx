import { X } from 'lucide-react';
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../i18n';
import { isTyping, useActions } from '../../keyboard/actions';
import { useMcpServers } from '../../queries/settings';
import { loadLater } from '../../state/loadLater';
import type { SettingsSection } from '../../state/settingsPlace';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { McpServer } from '../../transport/api';
import { BackupSettings } from '../backups/BackupSettings';
import { CallSettings } from '../calls/CallSettings';
import { ImportSettings } from '../imports/ImportSettings';
import { OwnTools } from '../mcp/OwnTools';
import { afterDialogs } from '../parts/afterDialogs';
import { Tooltip } from '../parts/Tooltip';
import { PermissionSettings } from '../permissions/PermissionSettings';
import { SecretSettings } from '../secrets/SecretSettings';
import { UpdateSettings } from '../updates/UpdateSettings';
import { About } from './About';
import { AgentsSection } from './AgentsSection';
import { AppearanceForm } from './AppearanceForm';
import { allSettings, matching, type SettingEntry } from './allSettings';
import { EditorForm } from './EditorForm';
import { SearchField } from './SearchField';
import { SearchResults } from './SearchResults';
import { SectionList } from './SectionList';
import { listedSections, sectionName } from './sections';
import { useSpot } from './useSpot';
import { Worktrees } from './Worktrees';
import './settings.css';
import './sections.css';

const McpSettings = lazy(() => loadLater(() => import('../mcp/McpSettings')));

const views: Record<SettingsSection, React.ComponentType> = {
  agents: AgentsSection,
  mcp: McpSettings,
  tools: OwnTools,
  calls: CallSettings,
  worktrees: Worktrees,
  import: ImportSettings,
  permissions: PermissionSettings,
  secrets: SecretSettings,
  appearance: AppearanceForm,
  editor: EditorForm,
  backups: BackupSettings,
  updates: UpdateSettings,
  about: About,
};

const noServers: readonly McpServer[] = [];

/** The settings: a list of sections, the current section, and a search. */
export function Settings() {
  const weft = useWeft();
  const place = useStore(weft.shown, (state) => state.settings);
  const { section } = place;
  const agents = useStore(weft.server, (state) => state.agents);
  const { data: servers = noServers } = useMcpServers();
  const [search, setSearch] = useState({ query: '', at: 0, place });
  const [visited, setVisited] = useState<readonly SettingsSection[]>([]);
  const pane = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // Opening a section closes the results.
  const { query, at } = search.place === place ? search : { query: '', at: 0 };
  const searching = query.trim() !== '';
  const finds = useMemo(() => allSettings(agents, servers, weft.inWindow), [weft, agents, servers]);
  const found = useMemo(() => matching(finds, query), [finds, query]);
  // Visited sections stay mounted, so that their test results and input are kept.
  const shown = visited.includes(section) ? visited : [...visited, section];
  if (shown !== visited) setVisited(shown);

  const leave = () => weft.leaveSettings();
  const choose = (next: SettingsSection) => weft.showSettings(next);
  const open = ({ section, row, permissions }: SettingEntry) =>
    weft.showSettings(section, row, permissions === undefined ? {} : { permissions });
  useActions([
    {
      id: 'settings.close',
      title: t('settings.close'),
      section: t('section.weft'),
      keys: 'Escape',
      run: leave,
    },
  ]);
  useSpot(pane);
  useEffect(() => {
    if (weft.shown.get().settings.at !== null) return;
    return afterDialogs(() => field.current?.focus({ preventScroll: true }));
  }, [weft]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to the top of another section
  useEffect(() => {
    if (place.at === null) pane.current?.scrollTo(0, 0);
  }, [section, place.at]);
  return (
    <main className="settings-screen">
      <div className="settings-split">
        <div className="settings-side">
          <div className="settings-top">
            <h1 className="page-title">{t('settings.title')}</h1>
            <span className="grow" />
            <Tooltip label={t('settings.close')} keys="Escape">
              <button type="button" className="icon-button" aria-label={t('settings.close')} onClick={leave}>
                <X size={16} aria-hidden />
              </button>
            </Tooltip>
          </div>
          <SearchField
            ref={field}
            query={query}
            found={found.length}
            at={at}
            onQuery={(next) => setSearch({ query: next, at: 0, place })}
            onMove={(next) => setSearch({ query, at: next, place })}
            onOpen={() => {
              const find = found[at];
              if (find !== undefined) open(find);
            }}
            onSections={() =>
              document.querySelector<HTMLElement>(`.section-link[data-section=${section}]`)?.focus()
            }
            onLeave={leave}
          />
          <SectionList searching={searching} onChoose={choose} onBefore={() => field.current?.focus()} />
        </div>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: handles keys of the fields inside */}
        <div
          ref={pane}
          className="settings-pane"
          onKeyDown={(event) => {
            // Escape leaves a field, and then the settings. Dialogs handle it themselves.
            const { key, target, nativeEvent, currentTarget } = event;
            if (key !== 'Escape' || event.defaultPrevented || nativeEvent.isComposing) return;
            if (!isTyping(target) || !currentTarget.contains(target as Node)) return;
            event.preventDefault();
            document.querySelector<HTMLElement>(`.section-link[data-section=${section}]`)?.focus();
          }}
        >
          <div className="settings-inner">
            {searching && <SearchResults query={query} found={found} at={at} onOpen={open} />}
            {listedSections
              .filter((one) => shown.includes(one))
              .map((one) => {
                const View = views[one];
                return (
                  <div key={one} hidden={searching || one !== section} data-section-view={one}>
                    <Suspense fallback={<Loading section={one} />}>
                      <View />
                    </Suspense>
                  </div>
                );
              })}
          </div>
        </div>
      </div>
    </main>
  );
}

/** A section while its code is loading. */
function Loading({ section }: { section: SettingsSection }) {
  return (
    <section className="settings-part" aria-busy>
      <h2>{sectionName(section)}</h2>
      <p className="settings-lead delayed">{t('loading')}</p>
    </section>
  );
}
