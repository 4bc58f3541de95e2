import { Dialog } from '@base-ui/react/dialog';
import { Pencil, Plus, Trash2, X } from 'lucide-react';
import { type FormEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { asCommandError } from '../../commands/failure';
import { removeTag, saveTag, tagSpaces } from '../../commands/list';
import { t } from '../../i18n';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Space, Tag } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { firstClick } from '../parts/firstClick';
import { count } from '../parts/numbers';
import { titleOf } from '../parts/spaceTitle';
import { TagName } from './TagName';
import { tagTones, toneStyle } from './tones';

/** The tags: which of them the spaces have, and their names. */
export function TagsDialog() {
  const weft = useWeft();
  const ids = useStore(weft.dialogs, (state) => state.tags);
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open={ids !== null} onOpenChange={(open) => !open && weft.dialogs.set({ tags: null })}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="dialog tags-dialog" initialFocus={field}>
          {ids !== null && <Tags ids={ids} field={field} />}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Tags({ ids, field }: { ids: readonly string[]; field: RefObject<HTMLInputElement | null> }) {
  const weft = useWeft();
  const spaces = useStore(weft.server, (state) => state.spaces);
  const tags = useStore(weft.server, ({ order }) => order.tags) ?? [];
  const [text, setText] = useState('');
  const [editing, setEditing] = useState('');
  const [wrong, setWrong] = useState('');
  const list = useRef<HTMLUListElement>(null);
  // The tag edited last gets the focus again.
  const edited = useRef('');
  useLayoutEffect(() => {
    const id = edited.current;
    edited.current = editing;
    if (editing !== '' || id === '') return;
    // Synchronously with removing the field, before the dialog takes the focus.
    list.current?.querySelector<HTMLElement>(`[data-edit="${CSS.escape(id)}"]`)?.focus();
  }, [editing]);
  const meant = spaces.filter(({ id }) => ids.includes(id));
  const first = meant[0];
  const name = text.trim().replace(/\s+/g, ' ');
  const words = name.toLowerCase();
  const fit = tags.filter((tag) => tag.name.toLowerCase().includes(words));
  const same = tags.find((tag) => tag.name.toLowerCase() === words);
  const toggle = (tag: Tag, on: boolean) =>
    tagSpaces(weft, ids, on ? { add: [tag.id] } : { remove: [tag.id] });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (name === '') return weft.dialogs.set({ tags: null });
    try {
      setWrong('');
      const tag = same ?? (await saveTag(weft, { id: '', name, tone: nextTone(tags) }));
      setText('');
      if (tag !== undefined && ids.length > 0) await tagSpaces(weft, ids, { add: [tag.id] });
    } catch (error) {
      setWrong(asCommandError(error).message);
    }
  };
  return (
    <>
      <div className="dialog-head">
        <Dialog.Title className="dialog-title">
          {ids.length === 0
            ? t('tags.manage')
            : ids.length === 1 && first !== undefined
              ? t('tags.ofSpace', { title: titleOf(first) })
              : t('tags.ofSpaces', { count: ids.length })}
        </Dialog.Title>
        <Dialog.Close className="icon-button" aria-label={t('close')} title={t('close')}>
          <X size={16} aria-hidden />
        </Dialog.Close>
      </div>
      <form className="tags-find" onSubmit={(event) => void submit(event)}>
        <input
          ref={field}
          className="field"
          value={text}
          maxLength={80}
          aria-label={t('tags.field')}
          placeholder={t('tags.field')}
          aria-invalid={wrong !== '' || undefined}
          onChange={(event) => {
            setText(event.target.value);
            setWrong('');
          }}
          onKeyDown={(event) => {
            if (event.key !== 'ArrowDown') return;
            event.preventDefault();
            list.current?.querySelector<HTMLElement>('input, button')?.focus();
          }}
        />
        {name !== '' && same === undefined && (
          <button type="submit" className="button">
            <Plus size={14} aria-hidden />
            {t('tags.create')}
          </button>
        )}
      </form>
      <p className="tags-wrong" role="alert">
        {wrong}
      </p>
      {tags.length === 0 && name === '' && <p className="quiet-text">{t('tags.none')}</p>}
      {tags.length > 0 && fit.length === 0 && <p className="quiet-text">{t('tags.noMatch', { name })}</p>}
      <ul ref={list} className="tags-list" aria-label={t('tags.list')}>
        {fit.map((tag) =>
          editing === tag.id ? (
            <EditTag key={tag.id} tag={tag} onDone={() => setEditing('')} />
          ) : (
            <TagRow
              key={tag.id}
              tag={tag}
              has={ids.length === 0 ? null : has(meant, tag.id)}
              used={spaces.filter((space) => (space.tags ?? []).includes(tag.id)).length}
              onToggle={(on) => toggle(tag, on)}
              onEdit={() => setEditing(tag.id)}
              onRemove={() => {
                void removeTag(weft, tag);
                field.current?.focus();
              }}
            />
          ),
        )}
      </ul>
    </>
  );
}

type Has = 'all' | 'some' | 'none';

/** Whether all, some or none of the spaces have a tag. */
function has(spaces: readonly Space[], tag: string): Has {
  const tagged = spaces.filter(({ tags }) => (tags ?? []).includes(tag)).length;
  return tagged === 0 ? 'none' : tagged === spaces.length ? 'all' : 'some';
}

/** The color of a new tag: one that is used least. */
function nextTone(tags: readonly Tag[]): number {
  const used = (tone: number) => tags.filter((tag) => tag.tone === tone).length;
  return tagTones.toSorted((a, b) => used(a) - used(b) || a - b)[0] ?? 1;
}

interface TagRowProps {
  tag: Tag;
  /** Which of the spaces have it; null if there are no spaces to tag. */
  has: Has | null;
  used: number;
  onToggle(on: boolean): Promise<void>;
  onEdit(): void;
  onRemove(): void;
}

function TagRow({ tag, has, used, onToggle, onEdit, onRemove }: TagRowProps) {
  const name = oneLine(tag.name);
  const box = useRef<HTMLInputElement>(null);
  /** The user's choice until the backend responds. */
  const [wish, setWish] = useState<boolean | null>(null);
  const shown = wish === null ? has : wish ? 'all' : 'none';
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = shown === 'some';
  }, [shown]);
  return (
    <li className="tags-row">
      {has === null ? (
        <span className="tags-label">
          <TagName name={name} tone={tag.tone} />
        </span>
      ) : (
        <label className="tags-label">
          <input
            ref={box}
            type="checkbox"
            checked={shown === 'all'}
            onChange={(event) => {
              const on = event.target.checked;
              setWish(on);
              void onToggle(on).then(() => setWish(null));
            }}
          />
          <TagName name={name} tone={tag.tone} />
        </label>
      )}
      <span className="quiet-text tabular" title={t('tags.used', { count: used })}>
        <span aria-hidden>{count(used)}</span>
        <span className="visually-hidden">{t('tags.used', { count: used })}</span>
      </span>
      <button
        type="button"
        className="icon-button quiet"
        data-edit={tag.id}
        aria-label={t('tags.edit', { name })}
        title={t('tags.edit', { name })}
        onClick={onEdit}
      >
        <Pencil size={14} aria-hidden />
      </button>
      <button
        type="button"
        className="icon-button quiet"
        aria-label={t('tags.delete', { name })}
        title={t('tags.delete', { name })}
        onClick={firstClick(onRemove)}
      >
        <Trash2 size={14} aria-hidden />
      </button>
    </li>
  );
}

function EditTag({ tag, onDone }: { tag: Tag; onDone(): void }) {
  const weft = useWeft();
  const [name, setName] = useState(tag.name);
  const [tone, setTone] = useState(tag.tone);
  const [wrong, setWrong] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await saveTag(weft, { ...tag, name, tone });
      onDone();
    } catch (error) {
      setWrong(asCommandError(error).message);
    }
  };
  return (
    <li className="tags-edit">
      <form
        onSubmit={(event) => void submit(event)}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.preventDefault();
          event.stopPropagation();
          onDone();
        }}
      >
        <input
          className="field"
          value={name}
          maxLength={80}
          // biome-ignore lint/a11y/noAutofocus: the user just asked to change it
          autoFocus
          aria-label={t('tags.name')}
          aria-invalid={wrong !== '' || undefined}
          onChange={(event) => {
            setName(event.target.value);
            setWrong('');
          }}
        />
        <fieldset className="tags-tones">
          <legend className="visually-hidden">{t('tags.color')}</legend>
          {tagTones.map((one) => (
            <label key={one} className="tags-tone" style={toneStyle(one)} title={t(`tags.tones.${one}`)}>
              <input
                type="radio"
                name={`tone-${tag.id}`}
                checked={tone === one}
                onChange={() => setTone(one)}
                aria-label={t(`tags.tones.${one}`)}
              />
            </label>
          ))}
        </fieldset>
        <p className="tags-wrong" role="alert">
          {wrong}
        </p>
        <div className="tags-edit-foot">
          <button type="button" className="button plain" onClick={onDone}>
            {t('cancel')}
          </button>
          <button type="submit" className="button primary" disabled={name.trim() === ''}>
            {t('tags.save')}
          </button>
        </div>
      </form>
    </li>
  );
}
