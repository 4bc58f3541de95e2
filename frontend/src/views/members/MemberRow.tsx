import { Menu } from '@base-ui/react/menu';
import { MoreHorizontal, Pencil, Settings2, Square, Star, Trash2 } from 'lucide-react';
import { stopSpace } from '../../commands/spaces';
import { t } from '../../i18n';
import { translatedName } from '../../i18n/said';
import { runOfMember } from '../../state/members';
import { currentName, modelOf } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { useWeft } from '../../state/weft';
import { useIsWeftAgent } from '../../state/weftAgent';
import type { Run } from '../../transcript/model';
import type { Member } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { Lines } from '../parts/Lines';
import { Monogram } from './Monogram';

interface MemberRowProps {
  session: Session;
  member: Member;
  tone: number;
  /** The only member. */
  alone: boolean;
  onEdit(): void;
  onMakeDefault(): void;
  onRemove(): void;
}

/** A member: name, role and current activity. */
export function MemberRow({ session, member, tone, alone, onEdit, onMakeDefault, onRemove }: MemberRowProps) {
  const weft = useWeft();
  const run = useStore(session.store, ({ conversation: { runs } }) => runOfMember(runs, member.id));
  const model = useStore(session.store, ({ conversation }) => {
    const option = modelOf(conversation, member.id);
    return option === undefined ? '' : currentName(option);
  });
  const own = useIsWeftAgent(member.agentId);
  const name = oneLine(member.name);
  // Most members are named like their agent: once is enough.
  const agent = member.agentName === member.name ? '' : member.agentName;
  const about = [agent, own ? translatedName(model) : model].filter((part) => part !== '').map(oneLine);
  return (
    <li className="member">
      <Monogram name={member.name} tone={tone} />
      <div className="member-text">
        <h3 className="member-name">
          {name}
          {member.default && !alone && <span className="tag accent">{t('members.default')}</span>}
          {member.speaks === 'tool' && <span className="tag">{t('members.speak.tool')}</span>}
          {member.reads === 'joined' && <span className="tag">{t('members.read.joined')}</span>}
        </h3>
        {about.length > 0 && <p className="member-about">{about.join(' · ')}</p>}
        {member.role !== '' && (
          <p className="member-role">
            <Lines text={member.role} />
          </p>
        )}
        <p className="member-state" data-state={stateOf(run)}>
          {t(`members.state.${stateOf(run)}`)}
        </p>
      </div>
      <Menu.Root modal={false}>
        <Menu.Trigger
          className="icon-button quiet"
          aria-label={t('members.menu', { name })}
          title={t('members.menu', { name })}
        >
          <MoreHorizontal size={15} aria-hidden />
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner align="end" sideOffset={4}>
            <Menu.Popup className="menu">
              <Menu.Item className="menu-item" onClick={onEdit}>
                <Pencil size={14} aria-hidden />
                {t('members.edit')}
              </Menu.Item>
              {!member.default && (
                <Menu.Item className="menu-item" onClick={onMakeDefault}>
                  <Star size={14} aria-hidden />
                  {t('members.makeDefault')}
                </Menu.Item>
              )}
              {run !== undefined && !run.stopping && (
                <Menu.Item
                  className="menu-item"
                  onClick={() => void stopSpace(weft, session.spaceId, member.id)}
                >
                  <Square size={12} aria-hidden />
                  {t('members.stop', { name })}
                </Menu.Item>
              )}
              <Menu.Item className="menu-item" onClick={() => weft.showAgent(member.agentId)}>
                <Settings2 size={14} aria-hidden />
                {t('action.agentSettings')}
              </Menu.Item>
              {!alone && (
                <>
                  <Menu.Separator className="menu-line" />
                  <Menu.Item className="menu-item danger" onClick={onRemove}>
                    <Trash2 size={14} aria-hidden />
                    {t('members.remove')}
                  </Menu.Item>
                </>
              )}
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
    </li>
  );
}

function stateOf(run: Run | undefined): 'idle' | 'working' | 'waiting' | 'stopping' {
  if (run === undefined) return 'idle';
  if (run.stopping) return 'stopping';
  return run.waitsFor.length > 0 ? 'waiting' : 'working';
}
