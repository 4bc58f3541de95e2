// What a permission request would do, as the broker reads it: the same as Reading of backend/permission, where each
// field is explained.

export interface Reading {
  /** In the order of the request. */
  commands?: Run[];
  /** Where the commands run, if that isn't the folder of the space. */
  folder?: string;
  /** The folder is outside of the space's folder. */
  outside?: boolean;
  env?: Argument[];
  /** Arguments that raise rights or switch off a protection. */
  raises?: Argument[];
  /** Files that are read or changed. */
  files?: Target[];
  /** Every other argument of the call, as JSON where it isn't text. */
  other?: Argument[];
  /** Why rules can't decide. */
  unclear?: string;
  kind?: string;
  /** The call shows changes to files as well. */
  diff?: boolean;
}

/** A command that would be started. */
export interface Run {
  line: string;
  /** The program and its options that read the line; empty where the agent chooses. */
  shell?: string;
  args?: string[];
  stdin?: string;
  /** Programs that the line starts, wrappers included. */
  runs?: string[];
}

/** A file of a request. */
export interface Target {
  path: string;
  /** Where the path leads through links, if that differs. */
  real?: string;
  outside?: boolean;
  write?: boolean;
  /** Inside of a git folder: changing it can run code later. */
  git?: boolean;
}

/** A named value, as the agent sent it. */
export interface Argument {
  name: string;
  value: string;
}
