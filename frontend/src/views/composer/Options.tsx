import { Menu } from '@base-ui/react/menu';
import { Check, SlidersHorizontal } from 'lucide-react';
import { memo, useRef, useState } from 'react';
import { setOption } from '../../commands/prompts';
import { t } from '../../i18n';
import { useActions } from '../../keyboard/actions';
import { offeredOf, ordered } from '../../state/offered';
import { toldOption, useWefts } from '../../state/ownWords';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import type { Offered, SessionOption } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { useRoom } from '../parts/useRoom';
import { OptionPicker } from './OptionPicker';
import './options.css';

/** Widths of the composer from which on there is room for two options in its row, and for three; the others are behind one button. */
const widths = [560, 720];
const moreOpen = 'more options';

/** What a member's session offers to choose: model, mode, thinking level, and what else the agent has. */
export const Options = memo(function Options({ session, memberId }: { session: Session; memberId: string }) {
  const offered = useStore(session.store, ({ conversation }) => offeredOf(conversation, memberId));
  const own = useWefts(offered?.agentId);
  const options = offered?.options ?? [];
  return options.length === 0 ? null : (
    <OptionRow
      session={session}
      memberId={memberId}
      offered={own ? options.map(toldOption) : options}
      held={offered?.held}
    />
  );
});

interface OptionRowProps {
  session: Session;
  memberId: string;
  offered: readonly SessionOption[];
  /** What Weft has set, because the space needs an agent that asks. */
  held: Offered['held'];
}

function OptionRow({ session, memberId, offered, held }: OptionRowProps) {
  const weft = useWeft();
  const [open, setOpen] = useState('');
  const [asked, setAsked] = useState<Readonly<Record<string, string | boolean>>>({});
  const options = ordered(offered).map((option) => {
    const wish = asked[option.id];
    return wish === undefined ? option : { ...option, current: wish };
  });
  const choose = async (option: SessionOption, value: string | boolean) => {
    if (value === option.current) return;
    setAsked((now) => ({ ...now, [option.id]: value }));
    await weft.attempt(t('failed.option', { name: oneLine(option.name) }), () =>
      setOption(weft, {
        spaceId: session.spaceId,
        memberId,
        optionId: option.id,
        value,
      }),
    );
    setAsked(({ [option.id]: _, ...others }) => others);
  };
  const box = useRef<HTMLFieldSetElement>(null);
  const inRow = 1 + useRoom(box, widths, '.composer');
  const selects = options.filter(({ type }) => type === 'select');
  const row = selects.slice(0, inRow);
  const rest = options.filter((option) => !row.includes(option));
  useActions(
    [...row, ...rest.filter(({ type }) => type === 'select')].map((option) => ({
      id: `option.${option.id}`,
      title: t('action.option', { name: oneLine(option.name) }),
      section: t('section.space'),
      ...(option.category === 'model'
        ? { keys: 'mod+;' }
        : option.category === 'mode'
          ? { keys: 'mod+.' }
          : {}),
      run: () => setOpen(row.includes(option) ? option.id : moreOpen),
    })),
  );
  return (
    <fieldset ref={box} className="options" aria-label={t('option.group')}>
      {row.map((option) => (
        <OptionPicker
          key={option.id}
          option={option}
          held={held?.some(({ id }) => id === option.id) === true}
          open={open === option.id}
          onOpen={(next) => setOpen(next ? option.id : '')}
          onChoose={(value) => void choose(option, value)}
        />
      ))}
      {rest.length > 0 && (
        <Menu.Root
          modal={false}
          open={open === moreOpen}
          onOpenChange={(next) => setOpen(next ? moreOpen : '')}
        >
          <Menu.Trigger className="icon-button quiet" aria-label={t('option.more')} title={t('option.more')}>
            <SlidersHorizontal size={14} aria-hidden />
          </Menu.Trigger>
          <Menu.Portal>
            <Menu.Positioner side="top" align="start" sideOffset={6}>
              <Menu.Popup className="menu picks">
                {rest.map((option) => (
                  <More key={option.id} option={option} onChoose={(value) => void choose(option, value)} />
                ))}
              </Menu.Popup>
            </Menu.Positioner>
          </Menu.Portal>
        </Menu.Root>
      )}
    </fieldset>
  );
}

function More({ option, onChoose }: { option: SessionOption; onChoose(value: string | boolean): void }) {
  if (typeof option.current === 'boolean') {
    return (
      <Menu.CheckboxItem
        className="menu-item pick"
        checked={option.current}
        onCheckedChange={onChoose}
        closeOnClick={false}
      >
        <span className="pick-mark">
          <Menu.CheckboxItemIndicator>
            <Check size={14} aria-hidden />
          </Menu.CheckboxItemIndicator>
        </span>
        <span className="pick-text">
          <span className="pick-name">{oneLine(option.name)}</span>
          {option.description !== undefined && (
            <span className="pick-note">{oneLine(option.description)}</span>
          )}
        </span>
      </Menu.CheckboxItem>
    );
  }
  return (
    <Menu.Group>
      <Menu.GroupLabel className="picks-title">{oneLine(option.name)}</Menu.GroupLabel>
      <Menu.RadioGroup value={option.current} onValueChange={onChoose}>
        {option.choices?.map((choice) => (
          <Menu.RadioItem key={choice.value} value={choice.value} className="menu-item pick">
            <span className="pick-mark">
              <Menu.RadioItemIndicator>
                <Check size={14} aria-hidden />
              </Menu.RadioItemIndicator>
            </span>
            <span className="pick-name">{oneLine(choice.name)}</span>
          </Menu.RadioItem>
        ))}
      </Menu.RadioGroup>
    </Menu.Group>
  );
}
