// Everything but the first screen: see later.ts.
export { Toaster } from 'sonner';
export { AttachmentList } from '../composer/AttachmentList';
export { Options } from '../composer/Options';
export { ProtocolLog } from '../log/ProtocolLog';
export { KeyboardMap } from '../palette/KeyboardMap';
export { Palette } from '../palette/Palette';
export { Tip } from '../parts/Tip';
export { Settings } from '../settings/Settings';
export { SpaceMenu } from '../sidebar/SpaceMenu';
export { FolderPicker } from '../spaces/FolderPicker';
export { Transcript } from '../transcript/Transcript';
