import type { Conversation, Item, Message, Segment, ToolGroup } from './model';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

export type DraftMessage = Omit<Mutable<Message>, 'segments' | 'opaque'> & {
  segments: Segment[];
  opaque: Message['opaque'];
};
export type DraftGroup = Omit<Mutable<ToolGroup>, 'items' | 'kindCounts' | 'statusCounts'> & {
  items: Item[];
  kindCounts: Record<string, number>;
  statusCounts: Record<string, number>;
};

/**
 * A conversation that a batch of events changes. Objects changed by the batch are copied once and then modified in
 * place, so that a batch of n events costs O(n) and everything else keeps its identity.
 */
export class Draft {
  private readonly fresh = new Set<object>();
  private readonly before: Conversation;
  private messages: Message[] | null = null;
  private changed: Mutable<Conversation> | null = null;

  constructor(before: Conversation) {
    this.before = before;
  }

  get now(): Conversation {
    return this.changed ?? this.before;
  }

  result(): Conversation {
    return this.now;
  }

  set<K extends Exclude<keyof Conversation, 'messages'>>(key: K, value: Conversation[K]): void {
    this.root()[key] = value as Mutable<Conversation>[K];
  }

  push(message: DraftMessage): void {
    this.fresh.add(message);
    this.fresh.add(message.segments);
    this.list().push(message);
  }

  /** Returns the message for modification; undefined if it isn't in memory. */
  message(id: string): DraftMessage | undefined {
    const messages = this.now.messages;
    // Nearly always the last one.
    for (let i = messages.length - 1; i >= 0; i--) {
      const message = messages[i];
      if (message?.id !== id) continue;
      if (this.fresh.has(message)) return message as DraftMessage;
      const copy: DraftMessage = { ...message, segments: message.segments.slice() };
      this.fresh.add(copy);
      this.list()[i] = copy;
      return copy;
    }
    return undefined;
  }

  /** Returns the tool group at an index for modification; undefined if it isn't in memory or is no group. */
  group(message: DraftMessage, segment: number): DraftGroup | undefined {
    const at = segment - message.firstSegment;
    const found = message.segments[at];
    if (found?.type !== 'tool-group') return undefined;
    if (this.fresh.has(found)) return found as DraftGroup;
    const copy: DraftGroup = {
      ...found,
      items: found.items.slice(),
      kindCounts: { ...found.kindCounts },
      statusCounts: { ...found.statusCounts },
    };
    this.fresh.add(copy);
    message.segments[at] = copy;
    return copy;
  }

  /** Appends a group to a message. */
  openGroup(message: DraftMessage): DraftGroup {
    const group: DraftGroup = {
      type: 'tool-group',
      items: [],
      firstItem: 0,
      kindCounts: {},
      statusCounts: {},
    };
    this.fresh.add(group);
    message.segments.push(group);
    return group;
  }

  private root(): Mutable<Conversation> {
    this.changed ??= { ...this.before };
    return this.changed;
  }

  private list(): Message[] {
    if (this.messages === null) {
      this.messages = this.before.messages.slice();
      this.root().messages = this.messages;
    }
    return this.messages;
  }
}
