/** React components for a markdown document: as a whole, or its groups as rows of a virtual list. */
import {
  type CSSProperties,
  memo,
  useEffect,
  useLayoutEffect,
  useReducer,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { BlockView } from './blockView';
import { copyText } from './copyText';
import { type DocumentSnapshot, MarkdownDocument } from './document';
import { FoldHead } from './folds/FoldHead';
import { chargeDrawing, frameIsFull } from './frameBudget';
import { type MarkdownBlock, type MarkdownGroup, sameBlocks } from './groups';
import { type Interactions, listen } from './interactions';
import { defaultLabels, type MarkdownLabels } from './labels';
import type { MarkdownContext } from './render';
import './markdown.css';

export interface MarkdownHandlers {
  /** Called when the user clicks a link: an absolute http, https or mailto address. */
  readonly onOpenLink: (url: string) => void;
  /** Copies code. Defaults to the clipboard of the page. */
  readonly onCopy?: (text: string) => Promise<void> | void;
  readonly labels?: MarkdownLabels;
  /** Called before the user opens or closes a fold. */
  readonly onFold?: () => void;
}

/** How many groups are mounted at first, and how many "Show earlier text" adds. */
export const MOUNTED_GROUPS = 6;

/** Subscribes to a document. Its groups are rows with stable keys. */
export function useMarkdown(document: MarkdownDocument): DocumentSnapshot {
  return useSyncExternalStore(document.subscribe, document.getSnapshot);
}

/** Steps of a block, including its view and the button of a fold (see work.ts). */
const BLOCK = 600;

export interface MarkdownGroupViewProps extends MarkdownHandlers {
  readonly group: MarkdownGroup;
  /** Context of the document that the group belongs to. */
  readonly context: MarkdownContext;
  /** Whether to estimate its height while it is out of view. */
  readonly guessed?: boolean;
  /** Collects the views of the visible blocks by key, so that the caller can update a block without rendering. */
  readonly views?: Map<string, BlockView>;
}

/** Renders one group as a row of a virtual list. Re-renders only when the group changes. */
export const MarkdownGroupView = memo(function MarkdownGroupView(props: MarkdownGroupViewProps) {
  const { group, context, guessed = false, labels = defaultLabels, onFold, views } = props;
  const { folds } = context;
  const root = useInteractions(props);
  useSyncExternalStore(folds.subscribe, folds.version);
  const drawn = useDrawableBlocks(
    group.blocks.filter(
      ({ kind, within }) => kind !== 'details-end' && within.every((fold) => folds.isOpen(fold)),
    ),
  );
  return (
    <div ref={root} className="md md-group" style={guessed ? estimatedHeight(group) : undefined}>
      {drawn.map((block) => (
        <BlockHost
          // A line that turns out to open a fold renders its text in a different place.
          key={block.fold === undefined ? block.key : `${block.key}-fold`}
          block={block}
          context={context}
          labels={labels}
          open={block.fold !== undefined && folds.isOpen(block.fold)}
          onFold={onFold}
          views={views}
        />
      ))}
    </div>
  );
});

/** Returns the blocks of a group that may be drawn now. If this frame is full, the rest follow in the next one. */
function useDrawableBlocks(blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  const [, draw] = useReducer((frames: number) => frames + 1, 0);
  const before = useRef(0);
  const waits = blocks.length > before.current && frameIsFull();
  const count = waits ? before.current : blocks.length;
  if (count > before.current) chargeDrawing(BLOCK * (count - before.current));
  useLayoutEffect(() => {
    before.current = count;
    if (!waits) return undefined;
    const frame = requestAnimationFrame(draw);
    return () => cancelAnimationFrame(frame);
  });
  return waits ? blocks.slice(0, count) : blocks;
}

export interface MarkdownGroupOfProps extends MarkdownHandlers {
  readonly document: MarkdownDocument;
  /** The key of the group. */
  readonly of: string;
}

/**
 * Renders one group by its key and keeps it up to date. It re-renders only when a block is added or removed; while a
 * block grows, the text goes directly to its view, bypassing React.
 */
export function MarkdownGroupOf({ document, of, ...handlers }: MarkdownGroupOfProps) {
  const [views] = useState(() => new Map<string, BlockView>());
  const [, fail] = useState<never>();
  const known = useRef<MarkdownGroup>(undefined);
  const read = () => {
    const next = document.group(of);
    const before = known.current;
    if (before === undefined || next === undefined || !sameBlocks(before, next)) known.current = next;
    return known.current;
  };
  useSyncExternalStore(document.subscribe, read, read);
  // An opening fold shows blocks that may have grown while they had no view.
  const { folds } = document.context;
  useSyncExternalStore(folds.subscribe, folds.version);
  useLayoutEffect(() => {
    let shown: MarkdownGroup | undefined;
    return document.subscribe(() => {
      const next = document.group(of);
      if (next === undefined || next === shown) return;
      shown = next;
      try {
        for (const block of next.blocks) views.get(block.key)?.show(block);
      } catch (error) {
        // Thrown while rendering this component, so that everything around it stays readable.
        fail(() => {
          throw error;
        });
      }
    });
  }, [document, of, views]);
  const group = document.group(of);
  if (group === undefined) return null;
  return <MarkdownGroupView group={group} context={document.context} views={views} {...handlers} />;
}

export interface MarkdownProps extends MarkdownHandlers {
  readonly text: string;
  /** True while `text` may still grow at its end. */
  readonly streaming?: boolean;
  /** Shows the source as written: no folds, formulas or diagrams. */
  readonly exact?: boolean;
}

/**
 * Renders a complete text, for places without a virtual list. Mounts only the end of a long text. For streams that
 * arrive as deltas, use your own document and `MarkdownView`.
 */
export function Markdown({ text, streaming = false, exact = false, ...handlers }: MarkdownProps) {
  const document = useTextDocument(text, streaming, exact);
  return <MarkdownView document={document} {...handlers} />;
}

export interface MarkdownViewProps extends MarkdownHandlers {
  readonly document: MarkdownDocument;
}

export function MarkdownView({ document, ...handlers }: MarkdownViewProps) {
  const { groups } = useMarkdown(document);
  const [mounted, setMounted] = useState(MOUNTED_GROUPS);
  const first = Math.max(0, groups.length - mounted);
  const labels = handlers.labels ?? defaultLabels;
  return (
    <div className="md-document">
      {first > 0 && (
        <button type="button" className="md-earlier" onClick={() => setMounted(mounted + MOUNTED_GROUPS)}>
          {labels.earlier}
        </button>
      )}
      {groups.slice(first).map((group) => (
        <MarkdownGroupView key={group.key} group={group} context={document.context} guessed {...handlers} />
      ))}
    </div>
  );
}

/** Estimates the height in lines of a group that has not been laid out yet (see markdown.css). */
function estimatedHeight(group: MarkdownGroup): CSSProperties {
  return { '--md-lines': Math.ceil(group.length / 64) + 1 } as CSSProperties;
}

interface BlockHostProps {
  readonly block: MarkdownBlock;
  readonly context: MarkdownContext;
  readonly labels: MarkdownLabels;
  /** Whether the fold opened by this block is open. */
  readonly open: boolean;
  readonly onFold: (() => void) | undefined;
  readonly views: Map<string, BlockView> | undefined;
}

const BlockHost = memo(function BlockHost({ block, context, labels, open, onFold, views }: BlockHostProps) {
  const host = useRef<HTMLDivElement & HTMLSpanElement>(null);
  const view = useRef<BlockView>(null);
  const { key } = block;
  useLayoutEffect(() => {
    if (host.current === null) return;
    const made = new BlockView(host.current, context, labels);
    view.current = made;
    views?.set(key, made);
    return () => {
      made.dispose();
      view.current = null;
      if (views?.get(key) === made) views.delete(key);
    };
  }, [context, labels, views, key]);
  // Runs after the effect above, even if that created a new view.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new view has to show the block again
  useLayoutEffect(() => view.current?.show(block), [block, context, labels, views, key]);
  const { fold, within } = block;
  const place = within.length === 0 ? {} : { style: { '--md-depth': within.length } as CSSProperties };
  if (fold === undefined)
    return <div ref={host} className="md-block" data-within={within.length || undefined} {...place} />;
  return (
    <div className="md-block md-fold" data-within={within.length || undefined} {...place}>
      <FoldHead
        open={open}
        onToggle={() => {
          onFold?.();
          context.folds.set(fold, !open);
        }}
      >
        <span ref={host} />
      </FoldHead>
    </div>
  );
});

function useInteractions(handlers: MarkdownHandlers) {
  const root = useRef<HTMLDivElement>(null);
  const current = useRef<Interactions>(null);
  const { onOpenLink, onCopy = copyText, labels = defaultLabels } = handlers;
  useLayoutEffect(() => {
    current.current = { onOpenLink, onCopy, labels };
  }, [onOpenLink, onCopy, labels]);
  useEffect(() => {
    if (root.current === null) return;
    return listen(
      root.current,
      () => current.current ?? { onOpenLink: () => {}, onCopy: copyText, labels: defaultLabels },
    );
  }, []);
  return root;
}

/** A document that follows a text: it appends while the text only grows, and starts over otherwise. */
function useTextDocument(text: string, streaming: boolean, exact: boolean): MarkdownDocument {
  const [state, setState] = useState(() => follow(undefined, text, streaming, exact));
  const next = follow(state, text, streaming, exact);
  if (next !== state) setState(next);
  useLayoutEffect(() => {
    next.feed();
  }, [next]);
  return next.document;
}

interface Followed {
  readonly document: MarkdownDocument;
  readonly text: string;
  readonly ended: boolean;
  /** Passes the new text to the document; safe to call twice. */
  readonly feed: () => void;
}

function follow(before: Followed | undefined, text: string, streaming: boolean, exact: boolean): Followed {
  if (before !== undefined && before.text === text && before.ended === !streaming) return before;
  if (before === undefined || before.ended || !text.startsWith(before.text)) {
    const document = new MarkdownDocument({ exact });
    document.append(text);
    if (!streaming) document.end();
    document.flush();
    return { document, text, ended: !streaming, feed: () => {} };
  }
  const { document } = before;
  let fed = false;
  const feed = () => {
    if (fed) return;
    fed = true;
    document.append(text.slice(before.text.length));
    if (!streaming) document.end();
  };
  return { document, text, ended: !streaming, feed };
}
