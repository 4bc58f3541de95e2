import { keys } from '../cache/keys';
import { t } from '../i18n';
import { useWeft } from '../state/weft';
import type { MemberPreset, RecallSettings, SecretStore } from '../transport/api';
import { fresh, useAnswer } from './useAnswer';

/** The MCP servers that the user has configured. */
export function useMcpServers() {
  return useAnswer(keys.mcpServers, async ({ transport }) => (await transport.call('MCPServers')) ?? []);
}

/** Where secrets are kept, and the way to choose that. */
export function useSecrets() {
  const weft = useWeft();
  const { data } = useAnswer(keys.secrets, ({ transport }) => transport.call('Secrets'));
  const choose = (store: SecretStore) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.answering(keys.secrets);
      take(await weft.transport.call('SetSecretStore', { store }));
    });
  return { secrets: data ?? null, choose };
}

/** Which earlier conversations agents may search, and the way to choose that. */
export function useRecall() {
  const weft = useWeft();
  const { data } = useAnswer(keys.recall, ({ transport }) => transport.call('Recall'));
  const choose = (scope: RecallSettings['scope']) =>
    weft.attempt(t('failed.save'), async () => {
      const take = weft.answering(keys.recall);
      take(await weft.transport.call('SaveRecall', { scope }));
    });
  return { scope: data?.scope ?? null, choose };
}

/** The editor that opens files, and the way to choose it. */
export function useEditors() {
  const weft = useWeft();
  const { data, error } = useAnswer(keys.editors, ({ transport }) => transport.call('Editors'), fresh);
  const save = async (use: string, command: string) => {
    const take = weft.answering(keys.editors);
    take(await weft.transport.call('SaveEditor', { use, command }));
  };
  return { editors: data ?? null, error, save };
}

/** The providers of models that there are. */
export function useModelProviders() {
  return useAnswer(keys.providers, ({ transport }) => transport.call('ModelProviders'), fresh);
}

/** The members that the user has kept, to be put into spaces together. */
export function usePresets() {
  const weft = useWeft();
  const { data } = useAnswer(
    keys.presets,
    async ({ transport }) => (await transport.call('MemberPresets')) ?? [],
    fresh,
  );
  const replace = async (answer: () => Promise<MemberPreset[] | null>) => {
    const take = weft.answering<MemberPreset[]>(keys.presets);
    take((await answer()) ?? []);
  };
  return {
    presets: data ?? [],
    save: (preset: MemberPreset) => replace(() => weft.transport.call('SaveMemberPreset', preset)),
    remove: ({ name }: MemberPreset) => replace(() => weft.transport.call('RemoveMemberPreset', { name })),
  };
}
