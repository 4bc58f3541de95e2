import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import type { MemberPreset, RecallSettings, SecretStore } from '../transport/api';
import { alwaysStale, useBackendQuery } from './useBackendQuery';

/** The user's MCP servers. */
export function useMcpServers() {
  return useBackendQuery(
    keys.mcpServers,
    async ({ transport }) => (await transport.call('MCPServers')) ?? [],
  );
}

/** Where secrets are stored, and a function to change it. */
export function useSecrets() {
  const weft = useWeft();
  const { data } = useBackendQuery(keys.secrets, ({ transport }) => transport.call('Secrets'));
  const choose = (store: SecretStore) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.beginUpdate(keys.secrets);
      take(await weft.transport.call('SetSecretStore', { store }));
    });
  return { secrets: data ?? null, choose };
}

/** Which earlier conversations agents may search, and a function to change it. */
export function useRecall() {
  const weft = useWeft();
  const { data } = useBackendQuery(keys.recall, ({ transport }) => transport.call('Recall'));
  const choose = (scope: RecallSettings['scope']) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.beginUpdate(keys.recall);
      take(await weft.transport.call('SaveRecall', { scope }));
    });
  return { scope: data?.scope ?? null, choose };
}

/** The editor that opens files, and a function to choose it. */
export function useEditors() {
  const weft = useWeft();
  const { data, error } = useBackendQuery(
    keys.editors,
    ({ transport }) => transport.call('Editors'),
    alwaysStale,
  );
  const save = async (use: string, command: string) => {
    const take = weft.beginUpdate(keys.editors);
    take(await weft.transport.call('SaveEditor', { use, command }));
  };
  return { editors: data ?? null, error, save };
}

/** The available model providers. */
export function useModelProviders() {
  return useBackendQuery(keys.providers, ({ transport }) => transport.call('ModelProviders'), alwaysStale);
}

/** The saved teams of members, which can be added to a space together. */
export function usePresets() {
  const weft = useWeft();
  const { data } = useBackendQuery(
    keys.presets,
    async ({ transport }) => (await transport.call('MemberPresets')) ?? [],
    alwaysStale,
  );
  const replace = async (answer: () => Promise<MemberPreset[] | null>) => {
    const take = weft.beginUpdate<MemberPreset[]>(keys.presets);
    take((await answer()) ?? []);
  };
  return {
    presets: data ?? [],
    save: (preset: MemberPreset) => replace(() => weft.transport.call('SaveMemberPreset', preset)),
    remove: ({ name }: MemberPreset) => replace(() => weft.transport.call('RemoveMemberPreset', { name })),
  };
}
