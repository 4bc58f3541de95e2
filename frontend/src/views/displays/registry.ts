import {
  ChartNoAxesColumn,
  CircleHelp,
  CreditCard,
  FileDiff,
  History,
  Image as ImageIcon,
  LayoutList,
  ListChecks,
  ListTodo,
  type LucideIcon,
  MessageSquareText,
  PanelsTopLeft,
  Send,
  ShieldCheck,
  Table2,
  TextAlignStart,
} from 'lucide-react';
import type { ComponentType } from 'react';
import { t } from '../../i18n';
import { Approval } from './Approval';
import { Card } from './Card';
import { Choice } from './Choice';
import { Difference } from './Difference';
import { DocumentDisplay } from './DocumentDisplay';
import type { DisplayProps } from './display';
import { ChartView, TableView } from './Figures';
import { FormDisplay } from './FormDisplay';
import { Generic } from './Generic';
import { Image } from './Image';
import { Progress } from './Progress';
import { type Fields, line } from './read';
import { SpaceToolView } from './SpaceTools';

/** The component for a display tool. */
export interface Kind {
  /** The default title. */
  name(): string;
  Icon: LucideIcon;
  View: ComponentType<DisplayProps>;
  /** `space` is the title of the space in the input, if any. */
  titleOf(input: Fields, space: string): string;
  /** The keys 1 to 9 answer it. */
  keys?: boolean;
  /** Wider than prose. */
  wide?: boolean;
  /** A space tool, whose view includes the result. */
  ofSpaces?: boolean;
  /** A custom display, whose title comes from the backend. */
  own?: boolean;
}

const title = (input: Fields) => line(input['title']);
const none = () => '';

const kinds: Record<string, Kind> = {
  showApprovalForm: {
    name: () => t('displays.kind.showApprovalForm'),
    Icon: ShieldCheck,
    View: Approval,
    titleOf: title,
    keys: true,
  },
  showChoice: {
    name: () => t('displays.kind.showChoice'),
    Icon: CircleHelp,
    View: Choice,
    titleOf: (input) => line(input['question']),
    keys: true,
  },
  showForm: {
    name: () => t('displays.kind.showForm'),
    Icon: ListChecks,
    View: FormDisplay,
    titleOf: title,
  },
  showCard: {
    name: () => t('displays.kind.showCard'),
    Icon: CreditCard,
    View: Card,
    titleOf: title,
    keys: true,
  },
  showDiff: {
    name: () => t('displays.kind.showDiff'),
    Icon: FileDiff,
    View: Difference,
    titleOf: none,
    wide: true,
  },
  showImage: {
    name: () => t('displays.kind.showImage'),
    Icon: ImageIcon,
    View: Image,
    titleOf: (input) => line(input['alt']),
  },
  showMarkdown: {
    name: () => t('displays.kind.showMarkdown'),
    Icon: TextAlignStart,
    View: DocumentDisplay,
    titleOf: none,
  },
  showProgress: {
    name: () => t('displays.kind.showProgress'),
    Icon: ListTodo,
    View: Progress,
    titleOf: title,
  },
  showTable: {
    name: () => t('displays.kind.showTable'),
    Icon: Table2,
    View: TableView,
    titleOf: title,
    wide: true,
  },
  listSpaces: {
    name: () => t('displays.kind.listSpaces'),
    Icon: LayoutList,
    View: SpaceToolView,
    titleOf: none,
    ofSpaces: true,
  },
  readSpaceMessages: {
    name: () => t('displays.kind.readSpaceMessages'),
    Icon: MessageSquareText,
    View: SpaceToolView,
    titleOf: (_, space) => (space === '' ? '' : t('spaceTools.messagesIn', { space })),
    ofSpaces: true,
  },
  getMyRuns: {
    name: () => t('displays.kind.getMyRuns'),
    Icon: History,
    View: SpaceToolView,
    titleOf: none,
    ofSpaces: true,
  },
  sendSpaceMessage: {
    name: () => t('displays.kind.sendSpaceMessage'),
    Icon: Send,
    View: SpaceToolView,
    titleOf: (_, space) => (space === '' ? '' : t('spaceTools.messageTo', { space })),
    ofSpaces: true,
  },
  showChart: {
    name: () => t('displays.kind.showChart'),
    Icon: ChartNoAxesColumn,
    View: ChartView,
    titleOf: title,
    wide: true,
  },
};

/** Returns how to render the calls of a display tool. Custom tools get a generic view. */
export function kindOf(toolName: string): Kind {
  const known = Object.hasOwn(kinds, toolName) ? kinds[toolName] : undefined;
  return (
    known ?? {
      name: () => (toolName === '' ? t('displays.kind.other') : toolName),
      Icon: PanelsTopLeft,
      View: Generic,
      titleOf: title,
      own: true,
    }
  );
}
