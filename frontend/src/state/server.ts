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

/** What the backend says outside of single spaces. */
export interface ServerState {
  status: 'starting' | 'ready' | 'failed';
  error: CommandError | null;
  connection: Connection;
  about: About;
  /** Not archived, last activity first. */
  spaces: readonly Space[];
  /** How the user has ordered them. */
  order: SpaceOrder;
  agents: readonly Agent[];
  appearance: Appearance;
  /** How calls of tools are drawn. */
  toolCalls: CallSettings;
  problems: readonly Problem[];
  /** Installations in progress, and those that have just ended. */
  installs: readonly Install[];
  /** Where the agents are at: another object whenever that is told. */
  places: Readonly<Record<string, Place>>;
  /** How many files of a space need review: another object whenever that is told. */
  changes: Readonly<Record<string, { files: number }>>;
  /** How far the export to a file is that was last heard of. */
  exporting: { id: string; done: number; total: number } | null;
}

/** Before the backend has said anything. */
export function unsaid(mode: Transport['kind']): ServerState {
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

/** What the backend says when everything is read. */
export function aboutOf(boot: Bootstrap): About {
  const { version, mode, platform, home, folder, dataDir, settingsPath } = boot;
  return { version, mode, platform, home, folder, dataDir, settingsPath };
}
