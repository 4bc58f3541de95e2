import { BookmarkPlus } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { t } from '../../i18n';
import { say } from '../../state/notify';
import type { MemberPreset, MemberSeed } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { inactiveWhile } from '../parts/inactiveWhile';
import { Lines } from '../parts/Lines';
import { useSave } from '../parts/useSave';

/** Saves the current members under a name, for other spaces. */
export function PresetForm({
  team,
  onSave,
}: {
  team: readonly MemberSeed[];
  onSave(preset: MemberPreset): Promise<void>;
}) {
  const saving = useSave();
  const [name, setName] = useState<string | null>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const left = useRef(false);
  // Keeps the focus where the form was.
  useEffect(() => {
    if (left.current && name === null) opener.current?.focus();
    left.current = name !== null;
  }, [name]);
  if (name === null) {
    return (
      <button ref={opener} type="button" className="text-button" onClick={() => setName('')}>
        <BookmarkPlus size={13} aria-hidden />
        {t('presets.keep')}
      </button>
    );
  }
  const close = () => {
    saving.clear();
    setName(null);
  };
  const save = () => {
    const plain = name.trim();
    if (plain === '') return saving.refuse(t('presets.nameless'));
    void saving.run(async () => {
      await onSave({ name: plain, members: [...team] });
      say(t('presets.kept', { name: oneLine(plain) }));
      setName(null);
    });
  };
  return (
    <form
      className="preset-form"
      onSubmit={(event) => {
        event.preventDefault();
        save();
      }}
    >
      <input
        className="field"
        aria-label={t('presets.name')}
        placeholder={t('presets.name')}
        value={name}
        maxLength={60}
        // biome-ignore lint/a11y/noAutofocus: the user just asked to name it
        autoFocus
        onChange={(event) => {
          setName(event.target.value);
          saving.clear();
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Escape') return;
          event.stopPropagation();
          close();
        }}
      />
      <button type="submit" className="button" {...inactiveWhile(saving.busy)}>
        {t('presets.save')}
      </button>
      <button type="button" className="button plain" onClick={close}>
        {t('cancel')}
      </button>
      {saving.error !== null && (
        <p className="field-error" role="alert">
          <Lines text={saving.error.message} />
        </p>
      )}
    </form>
  );
}
