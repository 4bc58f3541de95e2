import { useRef } from 'react';
import { t } from '../../i18n';
import { addressOf, type SettingsSection } from '../../state/settingsPlace';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { listedSections, sectionGroups, sectionName } from './sections';

interface SectionListProps {
  /** Results are shown instead of a section. */
  searching: boolean;
  onChoose(section: SettingsSection): void;
  /** Moves up from the first one. */
  onBefore(): void;
}

/** The sections: links with their own address, and a single tab stop. */
export function SectionList({ searching, onChoose, onBefore }: SectionListProps) {
  const weft = useWeft();
  const current = useStore(weft.shown, (state) => state.settings.section);
  const list = useRef<HTMLElement>(null);
  const focus = (section: SettingsSection) =>
    list.current?.querySelector<HTMLElement>(`[data-section=${section}]`)?.focus();
  const move = (event: React.KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1, Home: -99, End: 99 }[event.key];
    if (step === undefined || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    const at = listedSections.indexOf(current);
    if (event.key === 'ArrowUp' && at === 0) {
      onBefore();
      return;
    }
    const next = listedSections[Math.min(listedSections.length - 1, Math.max(0, at + step))] ?? current;
    onChoose(next);
    focus(next);
  };
  return (
    <nav ref={list} className="section-list" aria-label={t('settings.list')} onKeyDown={move}>
      {sectionGroups.map(({ name, sections }) => (
        <div key={name} className="section-group">
          <p className="section-group-name" id={`settings-group-${name}`}>
            {t(`settings.groups.${name}`)}
          </p>
          <ul aria-labelledby={`settings-group-${name}`}>
            {sections.map((section) => (
              <li key={section}>
                <a
                  className="section-link"
                  href={addressOf(section)}
                  data-section={section}
                  tabIndex={section === current ? 0 : -1}
                  aria-current={section === current && !searching ? 'page' : undefined}
                  onClick={(event) => {
                    // A browser may open it in another tab.
                    if (!weft.inWindow && (event.ctrlKey || event.metaKey || event.shiftKey)) return;
                    event.preventDefault();
                    onChoose(section);
                  }}
                >
                  {sectionName(section)}
                </a>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </nav>
  );
}
