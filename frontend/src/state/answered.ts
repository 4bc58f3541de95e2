/** So many are kept: what was answered has left the screen a moment later. */
const most = 100;

/**
 * What the user has answered in this window. A list in which requests leave tells by it whether one left because of the
 * user's own answer, or by itself.
 */
export class Answered {
  private readonly ids = new Set<string>();

  has(id: string): boolean {
    return this.ids.has(id);
  }

  /** Notes an answer while it is on its way, and no more if it was not taken. */
  async by<T>(id: string, send: () => Promise<T>, took: (result: T) => boolean = () => true): Promise<T> {
    this.ids.add(id);
    const [oldest] = this.ids;
    if (this.ids.size > most && oldest !== undefined) this.ids.delete(oldest);
    try {
      const result = await send();
      if (!took(result)) this.ids.delete(id);
      return result;
    } catch (error) {
      this.ids.delete(id);
      throw error;
    }
  }
}
