import { setLanguage, t } from '../i18n';
import { languageOf, systemLanguages } from '../i18n/language';
import type { Appearance } from '../transport/api';
import type { Transport } from '../transport/transport';
import { showFailure } from './notify';

/**
 * Saves appearance changes one after the other. The user's choice is shown at once and until it is saved; after that,
 * the newest state from the backend is shown, in whatever order responses and events arrive.
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

  /** Sets the first state of a backend. Versions of an earlier backend are no longer compared with it. */
  begin(appearance: Appearance): void {
    this.told = appearance;
    this.showTold();
  }

  /** Applies an appearance from the backend. */
  receive(appearance: Appearance): void {
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
        this.receive(await this.transport.call('SaveAppearance', now));
      }
    } catch (error) {
      this.next = null;
      void this.tell(error);
    } finally {
      this.saving = false;
      this.showTold();
    }
  }

  /** Reports a failure in the language that remains: the failed change may have been another language. */
  private async tell(error: unknown): Promise<void> {
    await setLanguage(languageOf(this.told?.language, systemLanguages())).catch(() => {});
    showFailure(t('failed.save'), error);
  }

  private showTold(): void {
    if (!this.saving && this.told !== null) this.show(this.told);
  }
}

const revisionOf = (appearance: Appearance | null): number => appearance?.revision ?? -1;
