import { speak, t } from '../i18n';
import { languageOf, systemLanguages } from '../i18n/language';
import type { Appearance } from '../transport/api';
import type { Transport } from '../transport/transport';
import { sayFailed } from './notify';

/**
 * Saves the appearance one change after the other. What the user chose is shown at once, and until
 * it is saved; after that the newest that the backend told is, whatever came by answer or by event,
 * and in whatever order.
 */
export class AppearanceSaver {
  private readonly transport: Transport;
  private readonly show: (appearance: Appearance) => void;
  private told: Appearance | null = null;
  private next: Appearance | null = null;
  private saving = false;

  constructor(transport: Transport, show: (appearance: Appearance) => void) {
    this.transport = transport;
    this.show = show;
  }

  /** What a backend tells first. What another one told before is no longer compared with it. */
  begin(appearance: Appearance): void {
    this.told = appearance;
    this.showTold();
  }

  /** What the backend tells about the appearance. */
  heard(appearance: Appearance): void {
    if (revisionOf(appearance) > revisionOf(this.told)) this.told = appearance;
    this.showTold();
  }

  async save(appearance: Appearance): Promise<void> {
    this.show(appearance);
    this.next = appearance;
    if (this.saving) return;
    this.saving = true;
    try {
      while (this.next !== null) {
        const now: Appearance = this.next;
        this.next = null;
        this.heard(await this.transport.call('SaveAppearance', now));
      }
    } catch (error) {
      this.next = null;
      void this.tell(error);
    } finally {
      this.saving = false;
      this.showTold();
    }
  }

  /** Says that a change failed, in the language that stays: what failed may have been another one. */
  private async tell(error: unknown): Promise<void> {
    await speak(languageOf(this.told?.language, systemLanguages())).catch(() => {});
    sayFailed(t('failed.save'), error);
  }

  private showTold(): void {
    if (!this.saving && this.told !== null) this.show(this.told);
  }
}

const revisionOf = (appearance: Appearance | null): number => appearance?.revision ?? -1;
