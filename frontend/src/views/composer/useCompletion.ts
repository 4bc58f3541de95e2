import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import { roleLine } from '../../state/members';
import { mentionsOf } from '../../state/mentions';
import { commandsOf, offeredOf, type SlashCommand } from '../../state/offered';
import type { Session } from '../../state/session';
import { useStore } from '../../state/store';
import { translatedCommand, useIsWeftAgent } from '../../state/weftAgent';
import { stateKey } from '../../transcript/model';
import type { FileMatch, Member } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { type FoundFiles, useFiles, written } from './files';
import { matching, type Token, tokenAt } from './token';

/** A line of the completion list. */
export interface Suggestion {
  /** What replaces the whole token. */
  text: string;
  name: string;
  note: string;
  /** The file or folder, if it is one. */
  file?: FileMatch;
  /** The member, if it is one. */
  member?: Member;
}

export interface Completion {
  id: string;
  /** Empty if there is nothing to offer. */
  list: readonly Suggestion[];
  active: number;
  /** Why the list of files is empty, if one was requested. */
  empty: FoundFiles | null;
  /** The command at the start of the text, with its argument hint. */
  command: SlashCommand | null;
  /** Updates the list from the text and the caret. */
  look(): void;
  close(): void;
  accept(index: number): void;
  /** Returns whether the key was handled by the list. */
  onKey(event: KeyboardEvent): boolean;
}

/** Completes slash commands of a member, and mentions of members and files. */
export function useCompletion(
  session: Session,
  memberId: string,
  field: RefObject<HTMLTextAreaElement | null>,
  put: (text: string, caret: number) => void,
): Completion {
  const id = useId();
  const { spaceId } = session;
  const commands = useStore(
    session.store,
    ({ conversation }) => conversation.state[stateKey('commands', memberId)],
  );
  const members = useStore(session.store, ({ space }) => space?.members) ?? none;
  const [token, setToken] = useState<Token | null>(null);
  const [text, setText] = useState('');
  /** The line selected with the keyboard; the first one if it is no longer in the list. */
  const [chosenKey, setChosenKey] = useState('');
  const agentId = useStore(session.store, ({ conversation }) => offeredOf(conversation, memberId)?.agentId);
  const own = useIsWeftAgent(agentId);
  const offered = commands === undefined ? [] : commandsOf(session.store.get().conversation, memberId);
  const all = own ? offered.map(translatedCommand) : offered;
  const found = useFiles(spaceId, token?.kind === 'file' ? token.query : null);
  const list =
    token === null
      ? []
      : token.kind === 'file'
        ? [...memberSuggestions(token, members), ...(found?.files ?? []).map(fileSuggestion)]
        : commandSuggestions(token, all);

  const active = Math.max(
    0,
    list.findIndex((line) => keyOfLine(line) === chosenKey),
  );

  const look = () => {
    const element = field.current;
    if (element === null) return;
    const next = tokenAt(element.value, element.selectionEnd);
    if (next?.kind !== token?.kind || next?.query !== token?.query) setChosenKey('');
    setToken(next);
    setText(element.value);
  };
  const close = () => setToken(null);
  const accept = (index: number, goOn = false) => {
    const chosen = list[index];
    const element = field.current;
    if (chosen === undefined || token === null || element === null) return;
    if (chosen.file !== undefined) mentionsOf(spaceId).set(chosen.text, chosen.file.path);
    const after = element.value.slice(token.to);
    const inserted = chosen.text + (goOn || /^\s/.test(after) ? '' : ' ');
    put(element.value.slice(0, token.from) + inserted + after, token.from + inserted.length);
    setText(element.value);
    if (goOn) look();
    else close();
  };
  const onKey = (event: KeyboardEvent): boolean => {
    if (list.length === 0 || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return false;
    const chosen = list[active];
    switch (event.key) {
      case 'ArrowDown':
      case 'ArrowUp': {
        const by = event.key === 'ArrowDown' ? 1 : list.length - 1;
        const to = list[(active + by) % list.length];
        if (to !== undefined) setChosenKey(keyOfLine(to));
        break;
      }
      case 'Enter':
        // A complete word is sent.
        if (chosen?.text === field.current?.value.slice(token?.from, token?.to)) {
          if (chosen?.file !== undefined) mentionsOf(spaceId).set(chosen.text, chosen.file.path);
          return false;
        }
        accept(active);
        break;
      case 'Tab':
        // Enters a folder, to choose something in it.
        accept(active, chosen?.file?.dir === true);
        break;
      case 'Escape':
        event.stopPropagation();
        close();
        break;
      default:
        return false;
    }
    event.preventDefault();
    return true;
  };
  const word = /^\/(\S+)\s/.exec(text)?.[1];
  const command = word === undefined ? null : (all.find(({ name }) => name === word) ?? null);
  const empty = token?.kind === 'file' && list.length === 0 ? found : null;
  return { id, list, active, empty, command, look, close, accept, onKey };
}

const none: readonly Member[] = [];

/** Identifies a line of the list independently of its position. */
export function keyOfLine({ member, text }: Suggestion): string {
  return `${member?.id ?? ''}${text}`;
}

/** The members that can be mentioned, if there is a choice. */
export function memberSuggestions(token: Token, members: readonly Member[]): Suggestion[] {
  if (members.length < 2) return [];
  return matching(
    members,
    token.query,
    ({ name }) => name,
    ({ agentName }) => agentName,
  ).map((member) => ({
    text: `@${oneLine(member.name)}`,
    name: member.name,
    note: [member.agentName, roleLine(member.role)].filter((part) => part !== '').join(' · '),
    member,
  }));
}

function fileSuggestion(file: FileMatch): Suggestion {
  return { text: written(file.path), name: file.path, note: '', file };
}

function commandSuggestions(token: Token, commands: readonly SlashCommand[]): Suggestion[] {
  return matching(
    commands,
    token.query,
    ({ name }) => name,
    ({ description }) => description,
  ).map(({ name, description }) => ({ text: `/${name}`, name: `/${name}`, note: description }));
}
