import { useState } from 'react';
import { saveMcpServer } from '../../commands/mcp';
import { t } from '../../i18n';
import { useWeft } from '../../state/weft';
import type { McpServer } from '../../transport/api';
import { oneLine } from '../parts/clean';
import { FormDialog } from '../parts/FormDialog';
import { TestFormFooter } from '../parts/TestFormFooter';
import { useSave } from '../parts/useSave';
import { KeychainTrouble } from '../secrets/KeychainTrouble';
import { draftOf, formOf } from './forms';
import { McpFields } from './McpFields';
import { McpTestResult } from './McpTestResult';
import { McpVia } from './McpVia';
import { useMcpTest } from './useMcpTest';

/** Adds or edits an MCP server. */
export function McpForm({ server, onClose }: { server: McpServer | null; onClose(): void }) {
  const weft = useWeft();
  const test = useMcpTest();
  const [draft, setDraft] = useState(() => draftOf(server));
  const saving = useSave();
  const form = formOf(draft);
  const wrong = () => {
    if (form.wrong === null) return false;
    saving.refuse(t(`values.wrong.${form.wrong.why}`, { name: oneLine(form.wrong.name) }));
    return true;
  };
  const save = async () => {
    if (wrong()) return;
    await saving.run(async () => {
      await saveMcpServer(weft, server?.name ?? '', form.server);
      onClose();
    });
  };
  return (
    <FormDialog
      title={server === null ? t('mcp.add') : t('mcp.editTitle', { name: oneLine(server.name) })}
      className="mcp-dialog"
      onClose={onClose}
    >
      <form
        className="form"
        onSubmit={(event) => {
          event.preventDefault();
          void save();
        }}
      >
        <McpFields draft={draft} onChange={setDraft} />
        <McpVia draft={draft} found={test.result?.ok ? test.result.tools : null} onChange={setDraft} />
        {saving.error !== null && <KeychainTrouble error={saving.error} onFile={() => void save()} />}
        <McpTestResult test={test} listed={draft.via === 'gateway'} />
        <TestFormFooter
          test={test}
          empty={form.server.command === '' && form.server.url === ''}
          onTest={() => {
            if (!wrong()) void test.run({ server: form.server });
          }}
          onClose={onClose}
          busy={saving.busy}
          save={server === null ? t('mcp.addButton') : t('agentForm.save')}
        />
      </form>
    </FormDialog>
  );
}
