/** Maps the language of a fence to its tokenizer, which is loaded on first use. */
import type { StreamParser } from '@codemirror/streamparser';

// biome-ignore lint/suspicious/noExplicitAny: each mode has its own state type
export type Mode = StreamParser<any>;

type Load = () => Promise<Mode>;

const javascript = () => import('@codemirror/legacy-modes/mode/javascript');
const clike = () => import('@codemirror/legacy-modes/mode/clike');
const css = () => import('@codemirror/legacy-modes/mode/css');
const python = () => import('@codemirror/legacy-modes/mode/python');
const sql = () => import('@codemirror/legacy-modes/mode/sql');
const xml = () => import('@codemirror/legacy-modes/mode/xml');
const mllike = () => import('@codemirror/legacy-modes/mode/mllike');

const js: Load = async () => (await javascript()).javascript;
const ts: Load = async () => (await javascript()).typescript;
const json: Load = async () => (await javascript()).json;
const c: Load = async () => (await clike()).c;
const cpp: Load = async () => (await clike()).cpp;
const csharp: Load = async () => (await clike()).csharp;
const kotlin: Load = async () => (await clike()).kotlin;
const html: Load = async () => (await xml()).html;
const shell: Load = async () => (await import('@codemirror/legacy-modes/mode/shell')).shell;
const ruby: Load = async () => (await import('@codemirror/legacy-modes/mode/ruby')).ruby;
const rust: Load = async () => (await import('@codemirror/legacy-modes/mode/rust')).rust;
const yaml: Load = async () => (await import('@codemirror/legacy-modes/mode/yaml')).yaml;
const properties: Load = async () => (await import('@codemirror/legacy-modes/mode/properties')).properties;
const py: Load = async () => (await python()).python;
const docker: Load = async () => (await import('@codemirror/legacy-modes/mode/dockerfile')).dockerFile;
const powershell: Load = async () => (await import('@codemirror/legacy-modes/mode/powershell')).powerShell;
const haskell: Load = async () => (await import('@codemirror/legacy-modes/mode/haskell')).haskell;
const standardSql: Load = async () => (await sql()).standardSQL;

const LANGUAGES: Readonly<Record<string, Load>> = {
  js,
  javascript: js,
  jsx: js,
  mjs: js,
  cjs: js,
  node: js,
  ts,
  typescript: ts,
  tsx: ts,
  mts: ts,
  cts: ts,
  json,
  jsonc: json,
  json5: json,
  jsonl: json,
  c,
  h: c,
  cpp,
  'c++': cpp,
  cc: cpp,
  hpp: cpp,
  arduino: cpp,
  cuda: cpp,
  php: c,
  zig: rust,
  cs: csharp,
  csharp,
  'c#': csharp,
  kotlin,
  kt: kotlin,
  java: async () => (await clike()).java,
  scala: async () => (await clike()).scala,
  dart: async () => (await clike()).dart,
  objc: async () => (await clike()).objectiveC,
  'objective-c': async () => (await clike()).objectiveC,
  glsl: async () => (await clike()).shader,
  css: async () => (await css()).css,
  scss: async () => (await css()).sCSS,
  less: async () => (await css()).less,
  html,
  vue: html,
  svelte: html,
  astro: html,
  xml: async () => (await xml()).xml,
  svg: async () => (await xml()).xml,
  py,
  python: py,
  python3: py,
  cython: async () => (await python()).cython,
  sh: shell,
  bash: shell,
  shell,
  zsh: shell,
  fish: shell,
  console: shell,
  makefile: shell,
  make: shell,
  go: async () => (await import('@codemirror/legacy-modes/mode/go')).go,
  golang: async () => (await import('@codemirror/legacy-modes/mode/go')).go,
  rust,
  rs: rust,
  ruby,
  rb: ruby,
  elixir: ruby,
  ex: ruby,
  crystal: ruby,
  yaml,
  yml: yaml,
  toml: async () => (await import('@codemirror/legacy-modes/mode/toml')).toml,
  ini: properties,
  properties,
  env: properties,
  dotenv: properties,
  conf: properties,
  sql: standardSql,
  postgresql: async () => (await sql()).pgSQL,
  mysql: async () => (await sql()).mySQL,
  sqlite: async () => (await sql()).sqlite,
  diff: async () => (await import('@codemirror/legacy-modes/mode/diff')).diff,
  patch: async () => (await import('@codemirror/legacy-modes/mode/diff')).diff,
  dockerfile: docker,
  docker,
  nginx: async () => (await import('@codemirror/legacy-modes/mode/nginx')).nginx,
  cmake: async () => (await import('@codemirror/legacy-modes/mode/cmake')).cmake,
  protobuf: async () => (await import('@codemirror/legacy-modes/mode/protobuf')).protobuf,
  proto: async () => (await import('@codemirror/legacy-modes/mode/protobuf')).protobuf,
  swift: async () => (await import('@codemirror/legacy-modes/mode/swift')).swift,
  lua: async () => (await import('@codemirror/legacy-modes/mode/lua')).lua,
  perl: async () => (await import('@codemirror/legacy-modes/mode/perl')).perl,
  r: async () => (await import('@codemirror/legacy-modes/mode/r')).r,
  julia: async () => (await import('@codemirror/legacy-modes/mode/julia')).julia,
  haskell,
  hs: haskell,
  clojure: async () => (await import('@codemirror/legacy-modes/mode/clojure')).clojure,
  erlang: async () => (await import('@codemirror/legacy-modes/mode/erlang')).erlang,
  ocaml: async () => (await mllike()).oCaml,
  fsharp: async () => (await mllike()).fSharp,
  groovy: async () => (await import('@codemirror/legacy-modes/mode/groovy')).groovy,
  gradle: async () => (await import('@codemirror/legacy-modes/mode/groovy')).groovy,
  powershell,
  ps1: powershell,
  pwsh: powershell,
  latex: async () => (await import('@codemirror/legacy-modes/mode/stex')).stex,
  tex: async () => (await import('@codemirror/legacy-modes/mode/stex')).stex,
  http: async () => (await import('@codemirror/legacy-modes/mode/http')).http,
  wat: async () => (await import('@codemirror/legacy-modes/mode/wast')).wast,
};

const loaded = new Map<string, Mode>();

/** Returns the tokenizer of a language if it is already loaded. */
export function loadedMode(language: string): Mode | undefined {
  return loaded.get(language.toLowerCase());
}

/** Loads the tokenizer of a language. Returns undefined if there is none or it cannot be loaded. */
export async function loadMode(language: string): Promise<Mode | undefined> {
  const name = language.toLowerCase();
  const load = Object.hasOwn(LANGUAGES, name) ? LANGUAGES[name] : undefined;
  if (load === undefined) return undefined;
  try {
    const mode = await load();
    loaded.set(name, mode);
    return mode;
  } catch {
    return undefined;
  }
}

export function isKnownLanguage(language: string): boolean {
  return Object.hasOwn(LANGUAGES, language.toLowerCase());
}
