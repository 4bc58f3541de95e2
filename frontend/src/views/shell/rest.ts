// Everything but the first screen: see later.ts.
export { Toaster } from 'sonner';
export { Changes } from '../changes/Changes';
export { UndoDialog } from '../changes/UndoDialog';
export { AttachmentList } from '../composer/AttachmentList';
export { ModeMenu } from '../composer/ModeMenu';
export { Options } from '../composer/Options';
export { UsageNote } from '../composer/UsageNote';
export { ProtocolLog } from '../log/ProtocolLog';
export { KeyboardMap } from '../palette/KeyboardMap';
export { Palette } from '../palette/Palette';
export { Tip } from '../parts/Tip';
export { Settings } from '../settings/Settings';
export { SpaceMenu } from '../sidebar/SpaceMenu';
export { EarlierDialog } from '../spaces/EarlierDialog';
export { FolderPicker } from '../spaces/FolderPicker';
export { SignIn } from '../transcript/SignIn';
export { Transcript } from '../transcript/Transcript';
