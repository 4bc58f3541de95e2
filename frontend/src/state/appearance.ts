import { t } from '../i18n';
import type { Appearance } from '../transport/api';
import type { Transport } from '../transport/transport';
import { sayFailed } from './notify';

/**
 * Saves the appearance one change after the other: commands may overtake each other, and the
 * echo of an earlier one must not undo what the user has chosen since.
 */
export class AppearanceSaver {
  private readonly transport: Transport;
  private readonly show: (appearance: Appearance) => void;
  private next: Appearance | null = null;
  private saving = false;
  /** What was saved here and not told by the backend since, oldest first. */
  private readonly echoes: string[] = [];

  constructor(transport: Transport, show: (appearance: Appearance) => void) {
    this.transport = transport;
    this.show = show;
  }

  /** What the backend tells about the appearance. It is old while something is being saved, and until the last of it was told. */
  heard(appearance: Appearance): void {
    const at = this.echoes.lastIndexOf(keyOf(appearance));
    this.echoes.splice(0, at < 0 ? this.echoes.length : at + 1);
    if (!this.saving && this.echoes.length === 0) this.show(appearance);
  }

  async save(appearance: Appearance): Promise<void> {
    this.show(appearance);
    this.next = appearance;
    if (this.saving) return;
    this.saving = true;
    let saved: Appearance | null = null;
    try {
      while (this.next !== null) {
        const now: Appearance = this.next;
        this.next = null;
        this.echoes.push(keyOf(now));
        saved = await this.transport.call('SaveAppearance', now);
      }
    } catch (error) {
      this.echoes.length = 0;
      this.next = null;
      saved = null;
      sayFailed(t('failed.save'), error);
    } finally {
      this.saving = false;
    }
    if (saved !== null) this.show(saved);
  }
}

function keyOf({ theme, density, textScale, thoughts, language }: Appearance): string {
  return [theme, density, textScale, thoughts, language].join(' ');
}
