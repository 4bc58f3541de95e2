import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { t } from '../../i18n';
import { arrivalDirection, arrived, goAlong } from '../../state/branches';
import { useStore } from '../../state/store';
import { useWeft, type Weft } from '../../state/weft';
import type { Fork } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { focusRow } from '../parts/focusRow';
import { count } from '../parts/numbers';
import './branches.css';

/** Shows the previous or next branch, if there is one. */
export function goBranch(weft: Weft, spaceId: string, fork: Fork, by: 1 | -1): void {
  const to = fork.spaces[fork.at + by];
  if (to === undefined) return;
  goAlong(to, spaceId, by);
  weft.select(to);
}

/** Switches between the versions of a prompt. */
export function Switcher({ spaceId, fork }: { spaceId: string; fork: Fork }) {
  const weft = useWeft();
  const group = useRef<HTMLFieldSetElement>(null);
  const place = t('branches.place', { n: count(fork.at + 1), of: count(fork.spaces.length) });
  const spaces = useStore(weft.server, (state) => state.spaces);
  /** The title of the neighboring branch. */
  const beside = (by: 1 | -1) => {
    const space = spaces.find(({ id }) => id === fork.spaces[fork.at + by]);
    return space === undefined ? '' : oneLine(space.title);
  };
  const [before, after] = [beside(-1), beside(1)];
  const go = (by: 1 | -1) => goBranch(weft, spaceId, fork, by);
  // When the user switches branches, stay where the branches part.
  useEffect(() => {
    const button = () => {
      const by = arrivalDirection(spaceId, fork);
      if (by === null) return null;
      const [previous, next] = group.current?.querySelectorAll('button') ?? [];
      const [first, second] = by > 0 ? [next, previous] : [previous, next];
      return first?.disabled === false ? first : second;
    };
    return focusRow(button, (focused) => {
      arrived();
      focused.scrollIntoView({ block: 'nearest' });
    });
  }, [spaceId, fork]);
  return (
    <fieldset
      ref={group}
      className="switcher"
      aria-label={t('branches.ofPrompt')}
      onKeyDown={(event) => {
        if (event.key !== 'ArrowLeft' && event.key !== 'ArrowRight') return;
        event.preventDefault();
        go(event.key === 'ArrowLeft' ? -1 : 1);
      }}
    >
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('branches.previous', { place })}
        title={before === '' ? t('branches.previousShort') : t('branches.previousNamed', { title: before })}
        disabled={fork.at === 0}
        onClick={() => go(-1)}
      >
        <ChevronLeft size={14} aria-hidden />
      </button>
      <span className="tabular">{place}</span>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('branches.next', { place })}
        title={after === '' ? t('branches.nextShort') : t('branches.nextNamed', { title: after })}
        disabled={fork.at === fork.spaces.length - 1}
        onClick={() => go(1)}
      >
        <ChevronRight size={14} aria-hidden />
      </button>
    </fieldset>
  );
}
