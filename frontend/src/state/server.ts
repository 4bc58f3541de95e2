import type {
  Agent,
  Appearance,
  Bootstrap,
  Install,
  Place,
  Problem,
  Space,
  SpaceOrder,
} from '../transport/api';
import type { CommandError, Connection, Transport } from '../transport/transport';
import { type CallSettings, plainCalls } from './toolCalls';

type About = Pick<
  Bootstrap,
  'version' | 'mode' | 'platform' | 'home' | 'folder' | 'dataDir' | 'settingsPath'
>;

/** The backend's state outside of single spaces. */
export interface ServerState {
  status: 'starting' | 'ready' | 'failed';
  error: CommandError | null;
  connection: Connection;
  about: About;
  /** Not archived, most recent activity first. */
  spaces: readonly Space[];
  /** The user's order of the spaces. */
  order: SpaceOrder;
  agents: readonly Agent[];
  appearance: Appearance;
  /** How tool calls are shown. */
  toolCalls: CallSettings;
  problems: readonly Problem[];
  /** Running installations, and those that ended recently. */
  installs: readonly Install[];
  /** File locations of the agents. A new object for each update. */
  places: Readonly<Record<string, Place>>;
  /** Number of files to review per space. A new object for each update. */
  changes: Readonly<Record<string, { files: number }>>;
  /** Progress of the last known export. */
  exporting: { id: string; done: number; total: number } | null;
}

/** The state before the first response of the backend. */
export function initialServerState(mode: Transport['kind']): ServerState {
  return {
    status: 'starting',
    error: null,
    connection: 'connecting',
    about: { version: '', mode, platform: '', home: '', folder: '', dataDir: '', settingsPath: '' },
    spaces: [],
    order: { pins: [], tags: [], projects: [] },
    agents: [],
    appearance: {
      theme: 'system',
      density: 'comfortable',
      textScale: 100,
      thoughts: 'in-place',
      language: 'system',
    },
    toolCalls: plainCalls,
    problems: [],
    installs: [],
    places: {},
    changes: {},
    exporting: null,
  };
}

/** The state from the first response. */
export function aboutOf(boot: Bootstrap): About {
  const { version, mode, platform, home, folder, dataDir, settingsPath } = boot;
  return { version, mode, platform, home, folder, dataDir, settingsPath };
}
